import Type, { type TSchema } from 'typebox'

// An answer with a field that is not described here is a mistake of one of the two, and tests find it.
const closed = { additionalProperties: false } as const

export const DeletedAnswer = Type.Object({ id: Type.String(), deleted: Type.Literal(true) }, closed)

/** One page of a list. */
export function listOf(item: TSchema): TSchema {
  return Type.Object(
    { data: Type.Array(item), next_cursor: Type.Union([Type.String(), Type.Null()]) },
    closed,
  )
}
