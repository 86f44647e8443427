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
import { textReader } from '../../wire/shapes/read-shape.ts'
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
  /** The requested part of a list. */
  readonly page: Page
  readonly body: BodyValue
  /** The actor, for the audit. */
  readonly actor: string
  /** The signed-in user, if the guard has determined it. */
  readonly visit: Visit
  readonly exchange: Exchange
}

/** An endpoint's answer: how the result of its handler is encoded, and its description in the API document. */
export interface EndpointAnswer<Result, Shown> extends AnswerContract {
  /** Whether it is one page of a list, so that the call has a page. False for a list without pages. */
  readonly isList: boolean
  readonly isWholeList?: true
  show(result: Result): Shown
  /** Cookies to set. */
  cookiesOf?(result: Result): readonly string[]
}

/** An endpoint and its contract, defined in one place. `Context` is the first argument of its handler. */
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
  /** Relative to the root of its API. */
  readonly path: Path
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly query?: Query
  readonly body?: Body<Input, BodyValue>
  /** Larger bodies are refused. When absent, the gateway's limit applies. */
  readonly maxBodyBytes?: number
  /** Called with the text of the body before it is parsed, for example to check a signature. */
  readText?(context: Context, exchange: Exchange): Promise<string>
  /** Headers that it reads. */
  readonly headers?: readonly Omit<Parameter, 'in'>[]
  readonly answer: EndpointAnswer<Result, Shown>
  readonly errors?: readonly number[]
  handle(context: Context, call: Call<Path, Query, BodyValue, Visit>): Result | Promise<Result>
}

// biome-ignore lint/suspicious/noExplicitAny: stands for every definition with this context.
export type AnyDefinition<Context> = Definition<Context, any, any, any, any, any, any, any>

/** The JSON answer of an endpoint. */
// biome-ignore lint/suspicious/noExplicitAny: only the answer is of interest.
export type AnswerOf<D> = D extends Definition<any, any, any, any, any, any, infer Shown, any> ? Shown : never

/** Checks a definition's types. Name `Context`; the rest is inferred. The type keeps the id, so that it can be looked up. */
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

const STORED = 'The stored object.'

/** One object. */
export function one<F extends Fields>(
  shape: Shape<F>,
  description = STORED,
): EndpointAnswer<ValueIn<F>, WireIn<F>> {
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
): EndpointAnswer<Listing<ValueIn<F>>, ShownList<WireIn<F>>> {
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

/** A list without pages. */
export function wholeListOf<F extends Fields>(
  shape: Shape<F>,
  description = STORED,
): EndpointAnswer<readonly ValueIn<F>[], ShownList<WireIn<F>>> {
  const { cookiesOf: _, ...page } = listOf(shape, description)
  return { ...page, isList: false, isWholeList: true, show: (data) => page.show({ data, nextCursor: null }) }
}

/** The id of the deleted object. */
export const DELETED: EndpointAnswer<string, { readonly id: string; readonly deleted: true }> = {
  description: 'It was deleted.',
  name: 'Deleted',
  schema: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }, { additionalProperties: false }),
  example: { id: 'cred_0123456789abcdef', deleted: true },
  isList: false,
  show: (id) => ({ id, deleted: true }),
}

/** An empty object. */
export const DONE = one(shape('Done', {}), 'Done.')

/** An answer with its `set-cookie` lines. */
export interface WithCookies<Result> {
  readonly result: Result
  readonly cookies: readonly string[]
}

/** The same answer, with cookies from its handler. */
export function withCookies<Result, Shown>(
  answer: EndpointAnswer<Result, Shown>,
): EndpointAnswer<WithCookies<Result>, Shown> {
  return {
    ...answer,
    headers: [...(answer.headers ?? []), 'set-cookie'],
    show: ({ result }) => answer.show(result),
    cookiesOf: ({ cookies }) => cookies,
  }
}

/** An answer whose handler builds the response, such as a file. */
export function raw(
  contract: Pick<AnswerContract, 'description'> & Partial<Omit<AnswerContract, 'name'>>,
): EndpointAnswer<Response | Reply, never> {
  return {
    name: null,
    schema: Type.String(),
    example: '',
    isList: false,
    ...contract,
    show: () => {
      throw new Error('A raw answer is sent unchanged.')
    },
  }
}

export const LARGEST_PAGE = 200
const USUAL_PAGE = 50
const PAGE_PARAMETERS: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of items.',
    schema: Type.Integer({ minimum: 1, maximum: LARGEST_PAGE, default: USUAL_PAGE }),
  },
  { name: 'cursor', in: 'query', description: 'The `next_cursor` of the previous page.' },
]

export interface BoundEndpoint extends Endpoint {
  readonly contract: Contract
  /** Set by the guard. */
  handle(exchange: Exchange, visit?: unknown): Promise<Response | Reply>
}

/** The endpoint for the server. It is not guarded yet. */
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

/** Answers an exchange with these path parameters. */
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
 * Definitions whose paths share a prefix and an id that may contain slashes, such as `/models/:model` and
 * `/models/:model/routes/:supplier`. The server gets one endpoint per method, which selects the definition by the rest of
 * the path.
 */
export function bindRest<Context>(
  definitions: readonly AnyDefinition<Context>[],
  context: Context,
  root: string,
): Endpoint[] {
  return Map.groupBy(definitions, ({ method }) => method)
    .entries()
    .map(([method, alike]) => {
      // The longest first: a shorter one would treat the rest as part of the id.
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
          throw new GatewayError('not_found', 'There is nothing at this path.')
        },
      }
    })
    .toArray()
}

function beginningOf(path: string): string {
  return path.slice(0, path.indexOf(':'))
}

/** Finds the ids in the rest of the path. An id matches as much as possible. */
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
    const description = `The ${name} id. You do not have to escape its slashes.`
    const contract = contractOf(definition)
    return {
      ...contract,
      documentPath: `${root}${definition.path.replace(/:(\w+)/g, '{$1}')}`,
      parameters: [{ name, in: 'path' as const, description }, ...(contract.parameters ?? [])],
    }
  })
  if (first === undefined) throw new Error('There are no definitions to bind.')
  return also.length === 0 ? first : { ...first, also }
}

/** The part of the path that `*` matches. Decoding it twice is harmless, because ids never contain a percent sign. */
function restOf({ params }: Exchange): string {
  try {
    return decodeURIComponent(params['*'] ?? '')
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The path is not percent-encoded correctly.', { cause })
  }
}

function respond<Result>(answer: EndpointAnswer<Result, unknown>, result: Result): Response {
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

/** A missing body counts as an empty object. */
function mayBeEmpty({ method, body }: AnyDefinition<never>): boolean {
  const { required = [] } = (body?.schema ?? {}) as { required?: readonly string[] }
  return method === 'POST' && required.length === 0
}

/** Refuses a misspelled filter, which would otherwise silently return everything. */
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
