import Type, { type Static, type TSchema } from 'typebox'

const OptionalOrNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))
const NonEmptyString = Type.String({ minLength: 1 })

const fields = {
  model: NonEmptyString,
  prompt: NonEmptyString,
  n: OptionalOrNull(Type.Integer({ minimum: 1 })),
  size: OptionalOrNull(NonEmptyString),
  quality: OptionalOrNull(NonEmptyString),
  response_format: OptionalOrNull(Type.Enum(['url', 'b64_json'])),
  user: OptionalOrNull(Type.String()),
  stream: OptionalOrNull(Type.Boolean()),
}

export const GenerationRequestSchema = Type.Object({ ...fields, style: OptionalOrNull(NonEmptyString) })

/** The text fields of the form; pictures come beside them. */
export const EditRequestSchema = Type.Object(fields)

export type ImageFields = Static<typeof GenerationRequestSchema>
