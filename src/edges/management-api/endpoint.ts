import { Type } from 'typebox'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Listing, Page } from '../../manage/ports/page.ts'
import type { Endpoint, Exchange, HttpMethod, Reply } from '../../serve/ports/exchange.ts'
import type { Access, AnswerContract, Contract, Parameter } from '../../vocabulary/runtime/contract.ts'
import {
  type Body,
  type Fields,
  readFieldText,
  type Shape,
  shape,
  type ValueIn,
  type WireIn,
  wireName,
} from '../../vocabulary/shape.ts'
import { textReader } from '../../wire/read-shape.ts'
import { actorOf } from './operator/address.ts'

type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParams<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { readonly [Key in Name]: string }
    : Readonly<Record<never, string>>

/** One call of an endpoint, read and checked. */
export interface Call<Path extends string, Query extends Fields, BodyValue, Visit = undefined> {
  readonly params: PathParams<Path>
  readonly query: Partial<ValueIn<Query>>
  /** Which part of a list is wanted. */
  readonly page: Page
  readonly body: BodyValue
  /** Who asks, for the audit. */
  readonly actor: string
  /** Who is signed in, where the guard has found that out. */
  readonly visit: Visit
  readonly exchange: Exchange
}

/** What an endpoint answers: how the result of its handler is shown, and what the API document says of it. */
export interface Answer<Result, Shown> extends AnswerContract {
  /** Whether it is one page of a list, so that the call has a page. */
  readonly isList: boolean
  show(result: Result): Shown
  /** The cookies that go with it. */
  cookiesOf?(result: Result): readonly string[]
}

/** An endpoint and its contract, defined in one place. `Context` is what its handler works with. */
export interface Definition<
  Context,
  Path extends string,
  Query extends Fields,
  Input,
  BodyValue,
  Result,
  Shown,
  Visit = undefined,
> {
  readonly method: HttpMethod
  /** Behind the root of its API. */
  readonly path: Path
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly query?: Query
  readonly body?: Body<Input, BodyValue>
  /** Bodies that are larger are refused; absent: the gateway's own limit. */
  readonly maxBodyBytes?: number
  /** Gets the body's text where something has to be checked before it is read, such as a signature. */
  readText?(context: Context, exchange: Exchange): Promise<string>
  /** Headers it looks at. */
  readonly headers?: readonly Omit<Parameter, 'in'>[]
  readonly answer: Answer<Result, Shown>
  readonly errors?: readonly number[]
  handle(context: Context, call: Call<Path, Query, BodyValue, Visit>): Result | Promise<Result>
}

// biome-ignore lint/suspicious/noExplicitAny: stands for every definition for this context.
export type AnyDefinition<Context> = Definition<Context, any, any, any, any, any, any, any>

/** What an endpoint answers, as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: only the answer is of interest.
export type AnswerOf<D> = D extends Definition<any, any, any, any, any, any, infer Shown, any> ? Shown : never

/** Checks a definition's types; `Context` has to be named, the rest follows. Its id is kept, so that it can be found by it. */
export function definer<Context>() {
  return <
    const Id extends string,
    const Path extends string,
    Query extends Fields,
    Input,
    BodyValue,
    Result,
    Shown,
  >(
    definition: Definition<Context, Path, Query, Input, BodyValue, Result, Shown> & { readonly id: Id },
  ) => definition
}

const STORED = 'The object as it is stored.'

/** One object. */
export function one<F extends Fields>(shape: Shape<F>, description = STORED): Answer<ValueIn<F>, WireIn<F>> {
  const { name, schema, example } = shape
  return { description, name, schema, example, isList: false, show: (value) => shape.show(value) }
}

/** One page of a list. */
export interface ShownList<Item> {
  readonly data: readonly Item[]
  readonly next_cursor: string | null
}

export function listOf<F extends Fields>(
  shape: Shape<F>,
  description = STORED,
): Answer<Listing<ValueIn<F>>, ShownList<WireIn<F>>> {
  return {
    description,
    name: `${shape.name}List`,
    schema: Type.Object(
      { data: Type.Array(shape.schema), next_cursor: Type.Union([Type.String(), Type.Null()]) },
      { additionalProperties: false },
    ),
    example: { data: [shape.example], next_cursor: null },
    isList: true,
    show: ({ data, nextCursor }) => ({ data: data.map((item) => shape.show(item)), next_cursor: nextCursor }),
  }
}

/** A list that always comes whole, so that nothing is asked about pages. */
export function wholeListOf<F extends Fields>(
  shape: Shape<F>,
  description = STORED,
): Answer<readonly ValueIn<F>[], ShownList<WireIn<F>>> {
  const { cookiesOf: _, ...paged } = listOf(shape, description)
  return { ...paged, isList: false, show: (data) => paged.show({ data, nextCursor: null }) }
}

/** The id of what is gone. */
export const DELETED: Answer<string, { readonly id: string; readonly deleted: true }> = {
  description: 'It is gone.',
  name: 'Deleted',
  schema: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }, { additionalProperties: false }),
  example: { id: 'cred_0123456789abcdef', deleted: true },
  isList: false,
  show: (id) => ({ id, deleted: true }),
}

/** Nothing but that it is done. */
export const DONE = one(shape('Done', {}), 'It is done.')

/** What is answered, and the `set-cookie` lines that go with it. */
export interface WithCookies<Result> {
  readonly result: Result
  readonly cookies: readonly string[]
}

/** The same answer, to which its handler may add cookies. */
export function withCookies<Result, Shown>(
  answer: Answer<Result, Shown>,
): Answer<WithCookies<Result>, Shown> {
  return {
    ...answer,
    headers: [...(answer.headers ?? []), 'set-cookie'],
    show: ({ result }) => answer.show(result),
    cookiesOf: ({ cookies }) => cookies,
  }
}

/** An answer that its handler lays out itself, such as a file. */
export function raw(
  contract: Pick<AnswerContract, 'description'> & Partial<Omit<AnswerContract, 'name'>>,
): Answer<Response | Reply, never> {
  return {
    name: null,
    schema: Type.String(),
    example: '',
    isList: false,
    ...contract,
    show: () => {
      throw new Error('A raw answer is sent as it is.')
    },
  }
}

export const LARGEST_PAGE = 200
const USUAL_PAGE = 50
const PAGE_PARAMETERS: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    description: 'The most items to give.',
    schema: Type.Integer({ minimum: 1, maximum: LARGEST_PAGE, default: USUAL_PAGE }),
  },
  { name: 'cursor', in: 'query', description: 'The `next_cursor` of the page before.' },
]

export interface BoundEndpoint extends Endpoint {
  readonly contract: Contract
  /** Whoever guards it says who visits. */
  handle(exchange: Exchange, visit?: unknown): Promise<Response | Reply>
}

/** The endpoint as the server has it. Nothing of it is guarded yet. */
export function bind<Context>(
  definition: AnyDefinition<Context>,
  context: Context,
  root: string,
): BoundEndpoint {
  const { method, path } = definition
  const answer = answererOf(definition, context)
  return {
    method,
    path: `${root}${path}`,
    contract: contractOf(definition),
    handle: (exchange, visit) => answer(exchange, { params: exchange.params, visit }),
  }
}

/** Answers an exchange whose path has these parts. */
type Answerer = (
  exchange: Exchange,
  found: { readonly params: Exchange['params']; readonly visit?: unknown },
) => Promise<Response | Reply>

function answererOf<Context>(definition: AnyDefinition<Context>, context: Context): Answerer {
  const { answer } = definition
  const readQuery = queryReader(definition)
  const readBody = bodyReaderOf(definition, context)
  return async (exchange, { params, visit }) => {
    const query = readQuery(exchange.query)
    const page = answer.isList ? readPage(exchange.query) : { limit: LARGEST_PAGE, cursor: null }
    const body = await readBody(exchange)
    const actor = actorOf(exchange)
    const request = { params, query, page, body, actor, visit, exchange }
    const result = await definition.handle(context, request)
    return answer.name === null ? result : respond(answer, result)
  }
}

/**
 * Definitions whose paths begin alike and then have an id that may contain slashes, as `/models/:model` and
 * `/models/:model/routes/:supplier`. The server has one endpoint for those of one method; what stands behind the id
 * tells them apart.
 */
export function bindRest<Context>(
  definitions: readonly AnyDefinition<Context>[],
  context: Context,
  root: string,
): Endpoint[] {
  return Map.groupBy(definitions, ({ method }) => method)
    .entries()
    .map(([method, alike]) => {
      // The longest first: the shorter would take the rest of it for a part of the id.
      const known = alike
        .toSorted((one, other) => other.path.length - one.path.length)
        .map((definition) => ({
          pattern: restPattern(definition.path),
          answer: answererOf(definition, context),
        }))
      return {
        method,
        path: `${root}${beginningOf(alike[0]?.path ?? '')}*`,
        contract: restContract(alike, root),
        handle: (exchange: Exchange) => {
          const rest = restOf(exchange)
          for (const { pattern, answer } of known) {
            const params = pattern.exec(rest)?.groups
            if (params !== undefined) return answer(exchange, { params: requireNamed(params) })
          }
          throw new GatewayError('not_found', 'The path names nothing.')
        },
      }
    })
    .toArray()
}

function beginningOf(path: string): string {
  return path.slice(0, path.indexOf(':'))
}

/** Finds the ids in the rest of the path; an id takes as much as it can. */
function restPattern(path: string): RegExp {
  return new RegExp(`^${path.slice(path.indexOf(':')).replace(/:(\w+)/g, '(?<$1>.*)')}$`, 's')
}

function requireNamed(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [missing] = Object.entries(params).find(([, id]) => id === '') ?? []
  if (missing === undefined) return params
  throw new GatewayError('not_found', `The path names no ${missing}.`)
}

function restContract<Context>(definitions: readonly AnyDefinition<Context>[], root: string): Contract {
  const [first, ...also] = definitions.map((definition) => {
    const [, name = ''] = /:(\w+)/.exec(definition.path) ?? []
    const description = `The ${name} id; its slashes may stand as they are.`
    const contract = contractOf(definition)
    return {
      ...contract,
      documentPath: `${root}${definition.path.replace(/:(\w+)/g, '{$1}')}`,
      parameters: [{ name, in: 'path' as const, description }, ...(contract.parameters ?? [])],
    }
  })
  if (first === undefined) throw new Error('There is nothing to bind.')
  return also.length === 0 ? first : { ...first, also }
}

/** The rest of the path behind `*`, decoded whether or not the server has done so: ids never contain a percent sign. */
function restOf({ params }: Exchange): string {
  try {
    return decodeURIComponent(params['*'] ?? '')
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The path is not percent-encoded correctly.', { cause })
  }
}

function respond<Result>(answer: Answer<Result, unknown>, result: Result): Response {
  const response = Response.json(answer.show(result))
  for (const cookie of answer.cookiesOf?.(result) ?? []) response.headers.append('set-cookie', cookie)
  return response
}

function bodyReaderOf<Context>(
  definition: AnyDefinition<Context>,
  context: Context,
): (exchange: Exchange) => unknown {
  const { body, maxBodyBytes } = definition
  if (body === undefined) return () => undefined
  const read = textReader(body.schema)
  return async (exchange) => {
    const text = definition.readText?.(context, exchange) ?? exchange.readText(maxBodyBytes)
    return body.read(read(await text))
  }
}

function contractOf(definition: AnyDefinition<never>): Contract {
  const { id, tag, summary, description, access, body, answer, errors, query = {}, headers = [] } = definition
  const own = Object.entries(query as Fields).map(([name, field]) => ({
    name: wireName(name, field),
    in: 'query' as const,
    description: (field.codec.input as { description?: string }).description ?? '',
    schema: field.codec.input,
  }))
  const ofHeaders = headers.map((header) => ({ ...header, in: 'header' as const }))
  const parameters = [...ofHeaders, ...own, ...(answer.isList ? PAGE_PARAMETERS : [])]
  return {
    id,
    tag,
    summary,
    access,
    answer,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { body: { ...body, ...(mayBeEmpty(definition) && { isOptional: true }) } }),
    ...(errors && { errors }),
  }
}

/** Nothing sent is nothing set: a call whose body has to say nothing may come without one. */
function mayBeEmpty({ method, body }: AnyDefinition<never>): boolean {
  const { required = [] } = (body?.schema ?? {}) as { required?: readonly string[] }
  return method === 'POST' && required.length === 0
}

/** Refuses a misspelt filter, which would otherwise quietly give everything. */
function queryReader({ query, answer }: AnyDefinition<never>): (given: URLSearchParams) => object {
  if (query === undefined && !answer.isList) return () => ({})
  const fields = new Map(
    Object.entries((query ?? {}) as Fields).map(([name, field]) => [wireName(name, field), { name, field }]),
  )
  return (given) => {
    const values: Record<string, unknown> = {}
    for (const [name, text] of given) {
      const known = fields.get(name)
      if (known) values[known.name] ??= readFieldText(known.field, text, name)
      else if (!answer.isList || (name !== 'limit' && name !== 'cursor')) {
        throw new GatewayError('invalid_request', `${name} is not a known query parameter.`, { param: name })
      }
    }
    return values
  }
}

function readPage(query: URLSearchParams): Page {
  const text = query.get('limit') ?? String(USUAL_PAGE)
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > LARGEST_PAGE) {
    throw new GatewayError('invalid_request', `limit must be a whole number from 1 to ${LARGEST_PAGE}.`, {
      param: 'limit',
    })
  }
  return { limit, cursor: query.get('cursor') }
}
