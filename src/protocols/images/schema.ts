import Type, { type Static, type TSchema } from 'typebox'
import { MODEL_NOTE } from '../contract-notes.ts'

const OptionalOrNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))
const NonEmptyString = Type.String({ minLength: 1 })

const fields = {
  model: Type.String({ minLength: 1, description: MODEL_NOTE }),
  prompt: NonEmptyString,
  n: OptionalOrNull(
    Type.Integer({
      minimum: 1,
      description: 'How many pictures: 1 to 4, of edits 1 to 10; some models make fewer.',
    }),
  ),
  size: OptionalOrNull(
    Type.String({
      minLength: 1,
      description: '`WIDTHxHEIGHT` or `auto`. Which sizes there are depends on the model.',
    }),
  ),
  quality: OptionalOrNull(
    Type.String({ minLength: 1, description: '`standard` or `hd`, or a word the model itself knows.' }),
  ),
  response_format: OptionalOrNull(
    Type.Enum(['url', 'b64_json'], {
      description: '`url` when left out: an address of this gateway that works for a while.',
    }),
  ),
  user: OptionalOrNull(Type.String()),
  stream: OptionalOrNull(Type.Boolean({ description: 'Only `false`: pictures come whole.' })),
}

export const GenerationRequestSchema = Type.Object({ ...fields, style: OptionalOrNull(NonEmptyString) })

/** The text fields of the form, without the image files. */
export const EditRequestSchema = Type.Object(fields)

export type ImageFields = Static<typeof GenerationRequestSchema>
