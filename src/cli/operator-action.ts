import type { TSchema } from 'typebox'
import {
  type AnswerOf,
  type AnyDefinition,
  type Definition,
  LARGEST_PAGE,
  type ShownList,
} from '../edges/management-api/endpoint.ts'
import { OPERATOR_DEFINITIONS } from '../edges/management-api/operator/index.ts'
import { type Fields, type WireIn, wireName } from '../vocabulary/shape.ts'
import { type Action, type ActionCall, readCount } from './action-group.ts'
import { UsageError } from './command.ts'
import { describeInputs, type InputSchema } from './endpoint-help.ts'
import type { OperatorClient } from './operator-client.ts'
import { type Cell, printFacts, printRows } from './print-table.ts'

type AnyEndpoint = (typeof OPERATOR_DEFINITIONS)[number]
type EndpointId = AnyEndpoint['id']
type EndpointOf<Id> = Extract<AnyEndpoint, { readonly id: Id }>
type FieldOf<E> =
  // biome-ignore lint/suspicious/noExplicitAny: only what can be sent is of interest.
  E extends Definition<any, any, infer Query, infer Input, any, any, any>
    ? keyof (Fields extends Query ? unknown : WireIn<Query>) | keyof Input
    : never
type ItemOf<E> = AnswerOf<E> extends ShownList<infer Item> ? Item : AnswerOf<E>

/** What an action needs to know of an endpoint. */
type Called = Pick<
  AnyDefinition<never>,
  'method' | 'path' | 'summary' | 'description' | 'query' | 'body' | 'answer'
>

interface Sent {
  /** What stands in the path for `:id`. */
  readonly id?: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Calls an endpoint by the id of its definition, which says where it is and what it answers. */
export function callEndpoint<const Id extends EndpointId>(
  client: OperatorClient,
  endpointId: Id,
  sent: Sent = {},
): Promise<AnswerOf<EndpointOf<Id>>> {
  return send(client, definitionOf(endpointId), sent)
}

function send<Answered>(
  client: OperatorClient,
  { method, path }: Pick<Called, 'method' | 'path'>,
  { id = '', query = {}, body }: Sent,
): Promise<Answered> {
  const search = String(new URLSearchParams(query))
  const target = path.replace(/:\w+/, encodeURIComponent(id)) + (search && `?${search}`)
  return client.call(method, target, body)
}

function definitionOf(id: EndpointId): AnyEndpoint {
  const definition = OPERATOR_DEFINITIONS.find((known) => known.id === id)
  if (definition === undefined) throw new Error(`There is no endpoint ${id}.`)
  return definition
}

/** A flag that does not follow from its field. */
interface FlagRule {
  readonly flag?: string
  /** Flags that say more of the same field. */
  readonly besides?: readonly string[]
  read?(text: string, call: ActionCall): unknown
}

export interface ActionOptions<E> {
  /** For the help; absent: what the API document says. */
  readonly summary?: string
  /** Whole command lines for the help; absent: one that follows from the examples of the API document. */
  readonly examples?: readonly string[]
  /** Earlier names of the action. */
  readonly aliases?: readonly string[]
  /** Whether it also works without a gateway, on the database of the environment. */
  readonly worksOffline?: boolean
  /** What words and flags mean, where the API document does not say it. */
  readonly notes?: Readonly<Record<string, string>>
  /** What must be said without a flag; absent: what the path needs. */
  readonly words?: readonly string[]
  /** Fields whose flag has another name (a text), is none (null), or is read in a way of its own. */
  readonly flags?: { readonly [Name in FieldOf<E>]?: string | null | FlagRule }
  /** What is sent, where no flags say it. */
  readonly body?: object | ((call: ActionCall) => Promise<object>)
  /** The id in the path, where it is not the first word. */
  findId?(call: ActionCall): Promise<string>
  /** What is said of a change that changes nothing. */
  readonly missing?: string
  /** What people read of an answer, or of each item of a list. */
  show(item: ItemOf<E>): Readonly<Record<string, Cell>>
  /** Columns of a list that are read from their last digit. */
  readonly figures?: readonly string[]
  /** What stands in place of a list without items. */
  readonly empty?: string
}

/** An action that calls an endpoint: words, flags and what is sent follow from its definition. */
export function actionOf<const Id extends EndpointId>(
  id: Id,
  options: ActionOptions<EndpointOf<Id>>,
): Action {
  return actionFor<EndpointOf<Id>>(definitionOf(id), options)
}

/** The same for an endpoint whose definition is at hand. */
export function actionFor<E>(definition: Called, options: ActionOptions<E>): Action {
  const { words = wordsOf(definition.path), summary = summaryOf(definition) } = options
  const inputs = options.body === undefined ? inputsOf(definition, options.flags ?? {}) : []
  const flags = inputs.filter(({ flag }) => !words.includes(flag))
  const { isList, isWholeList = false } = definition.answer
  return {
    ...describeInputs(definition, { words, inputs: flags, notes: options.notes ?? {} }),
    words,
    required: flags.filter(({ isRequired }) => isRequired).map(({ flag }) => flag),
    optional: [
      ...flags.filter(({ isRequired }) => !isRequired).flatMap(({ flag, besides }) => [flag, ...besides]),
      ...(isList ? ['limit'] : []),
    ],
    summary,
    ...pickGiven(options as ActionOptions<unknown>),
    run: async (call) => {
      const read = readInputs(inputs, call)
      const pathId = (await options.findId?.(call)) ?? call.said(words[0] ?? '')
      if (isList || isWholeList) {
        const sent = { id: pathId, query: read as Record<string, string> }
        await printList(call, sent, { definition, options })
        return 0
      }
      if (definition.method === 'PATCH' && inputs.length > 0 && Object.keys(read).length === 0) {
        throw new UsageError(options.missing ?? `give ${flags.map(({ flag }) => `--${flag}`).join(' or ')}`)
      }
      const given = typeof options.body === 'function' ? await options.body(call) : options.body
      const body = definition.body && { body: { ...read, ...given } }
      const answer = await send<ItemOf<E> & object>(call.client, definition, { id: pathId, ...body })
      printFacts(call, answer, options.show(answer))
      return 0
    },
  }
}

/** What the options say of the definition. */
function pickGiven({ examples, aliases, worksOffline }: ActionOptions<unknown>) {
  return {
    ...(examples && { examples }),
    ...(aliases && { aliases }),
    ...(worksOffline !== undefined && { worksOffline }),
  }
}

/** `/accounts/:id/keys` needs an account. */
function wordsOf(path: string): string[] {
  return [...path.matchAll(/(\w+)s\/:\w+/g)].map(([, noun = '']) => noun)
}

function summaryOf({ summary, description }: { summary: string; description?: string }): string {
  const sentence = `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`
  return description === undefined ? sentence : `${sentence}. ${description}`
}

interface Input {
  /** Its name in JSON. */
  readonly field: string
  readonly flag: string
  readonly besides: readonly string[]
  readonly isRequired: boolean
  readonly schema: InputSchema
  read(text: string, call: ActionCall): unknown
}

function inputsOf(
  { query = {}, body }: { query?: Fields; body?: { schema: TSchema } },
  rules: Readonly<Record<string, string | null | FlagRule | undefined>>,
): Input[] {
  const { properties = {}, required = [] } = (body?.schema ?? {}) as InputSchema
  const fields = [
    // A query is text, which the gateway reads.
    ...Object.entries(query).map(([name, field]) => {
      return [wireName(name, field), { ...(field.codec.input as InputSchema), isText: true }] as const
    }),
    ...Object.entries(properties),
  ]
  return fields.flatMap(([field, schema]): Input[] => {
    const rule = rules[field]
    if (rule === null) return []
    const {
      flag = flagOf(field),
      besides = [],
      read,
    } = typeof rule === 'string' ? { flag: rule } : (rule ?? {})
    const readText = read ?? ((text: string) => readFlag(flag, schema, text))
    return [{ field, flag, besides, isRequired: required.includes(field), schema, read: readText }]
  })
}

/** `account_id` is said with `--account`, `expires_at` with `--expires-at`. */
export function flagOf(field: string): string {
  return field.replace(/_id$/, '').replaceAll('_', '-')
}

function readInputs(inputs: readonly Input[], call: ActionCall): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { field, flag, besides, read } of inputs) {
    const text = call.flag(flag)
    const alone = besides.find((other) => call.flag(other) !== undefined)
    if (text !== undefined) values[field] = read(text, call)
    else if (alone !== undefined) throw new UsageError(`--${alone} goes with --${flag}`)
  }
  return values
}

export const NONE = 'none'

/** What a flag says of a field. Ranges and words are the gateway's to check: it has them in better words. */
export function readFlag(flag: string, schema: InputSchema, text: string): unknown {
  if (schema.isText) return text
  const [meant = schema, orNull] = schema.anyOf ?? []
  // A text may be that very word.
  if (orNull !== undefined && meant.type !== 'string' && text === NONE) return null
  switch (meant.type) {
    case 'integer':
      if (/^\d{1,10}$/.test(text)) return Number(text)
      throw new UsageError(`--${flag} takes a whole number, not '${text}'`)
    case 'number':
      if (/^-?\d{1,10}(\.\d{1,10})?$/.test(text)) return Number(text)
      throw new UsageError(`--${flag} takes a number, not '${text}'`)
    case 'boolean':
      if (text === 'on' || text === 'off') return text === 'on'
      throw new UsageError(`--${flag} takes on or off`)
    case 'array':
      return text.split(',').map((entry) => readFlag(flag, meant.items ?? {}, entry.trim()))
    default:
      return text
  }
}

const USUAL_LIMIT = 50

/** Items in the order the gateway gives them in, up to so many of them; a cursor when there are more. */
export function readList<const Id extends EndpointId>(
  client: OperatorClient,
  id: Id,
  sent: Limited,
): Promise<ReadItems<ItemOf<EndpointOf<Id>>>> {
  return readItems(client, definitionOf(id), sent)
}

type Limited = Sent & { readonly limit: number }

interface ReadItems<Item> {
  readonly items: Item[]
  readonly cursor: string | null
}

async function readItems<Item>(
  client: OperatorClient,
  definition: Called,
  { limit, ...sent }: Limited,
): Promise<ReadItems<Item>> {
  if (definition.answer.isWholeList) {
    const { data } = await send<ShownList<Item>>(client, definition, sent)
    return { items: [...data], cursor: null }
  }
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const size = String(Math.min(limit - items.length, LARGEST_PAGE))
    const query = { ...sent.query, limit: size, ...(cursor !== null && { cursor }) }
    const page: ShownList<Item> = await send(client, definition, { ...sent, query })
    items.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && items.length < limit)
  return { items, cursor }
}

async function printList<E>(
  call: ActionCall,
  sent: Sent,
  { definition, options }: { definition: Called; options: ActionOptions<E> },
): Promise<void> {
  const limit = readCount(call, 'limit') ?? USUAL_LIMIT
  const { items, cursor } = await readItems<ItemOf<E>>(call.client, definition, { ...sent, limit })
  const { figures = [], empty = '' } = options
  printRows(call, items, { show: (item) => options.show(item), figures, empty })
  if (cursor !== null && !call.asJson) call.terminal.print('There is more; --limit shows it.\n')
}
