import Type, { type TSchema } from 'typebox'
import type { Parameter } from '../vocabulary/runtime/contract.ts'

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
export const STORED_BODY_ERRORS = [400, 401, 403, 404, 408, 413, 415, 429, 500, 503] as const
