import Type, { type TSchema } from 'typebox'
import type { BodyContract, Parameter } from '../vocabulary/runtime/contract.ts'

export const MODEL_NOTE = 'A model id from `GET /v1/models`.'
export const STREAM_NOTE = 'Set to true to receive the answer as server-sent events.'
export const MAX_TOKENS_NOTE =
  'Maximum number of tokens to generate. Their maximum cost is reserved while the request runs.'
export const UNIX_SECONDS_NOTE = 'Unix time in seconds.'

const DetailCount = Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]))
const media = { audio_tokens: DetailCount, image_tokens: DetailCount }

/** Parts of the prompt and of the output, which two formats spell alike. */
export const PROMPT_DETAILS = { cached_tokens: DetailCount, cache_write_tokens: DetailCount, ...media }
export const OUTPUT_DETAILS = { reasoning_tokens: DetailCount, ...media }

const UNKNOWN_FIELDS = 'Other fields are allowed and passed on to suppliers of the same format.'
const CHECKED = 'The kinds whose fields are checked. Other kinds are passed on unchanged.'

/** A request body for the API document. */
export function requestBody(name: string, schema: TSchema, example: unknown): BodyContract {
  return { name, schema: { ...schema, description: UNKNOWN_FIELDS }, example }
}

/** The known kinds of a list whose items are checked after the request itself. */
export function oneOfKinds(kinds: Readonly<Record<string, TSchema>>): TSchema {
  return Type.Union(Object.values(kinds), { description: CHECKED })
}

/** The same for schemas that do not declare their `type`. */
export function oneOfTypes(kinds: Readonly<Record<string, TSchema>>): TSchema {
  const typed = Object.entries(kinds).map(([type, schema]) =>
    Type.Intersect([Type.Object({ type: Type.Literal(type) }), schema]),
  )
  return Type.Union(typed, { description: CHECKED })
}

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** The query parameters of a list that official clients page through. */
export function pageParameters(defaultOrder: 'asc' | 'desc'): readonly Parameter[] {
  return [
    {
      name: 'order',
      in: 'query',
      description: '`asc`: oldest first; `desc`: newest first.',
      schema: Type.Enum(['asc', 'desc'], { default: defaultOrder }),
    },
    { name: 'after', in: 'query', description: 'The `last_id` of the previous page.' },
    {
      name: 'limit',
      in: 'query',
      description: 'The maximum number of entries. A page ends early where they are large.',
      schema: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    },
  ]
}

/** One page of a list. */
export function pageSchema(entry: TSchema): TSchema {
  return Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(entry),
    first_id: OrNull(Type.String()),
    last_id: OrNull(Type.String()),
    has_more: Type.Boolean(),
  })
}

/** Statuses of operations on stored objects. */
export const STORED_ERRORS = [400, 401, 403, 404, 429, 500, 503] as const
export const STORED_BODY_ERRORS = [400, 401, 403, 404, 413, 429, 500, 503] as const
