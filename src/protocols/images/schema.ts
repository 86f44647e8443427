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
      description: 'Number of images: 1 to 4, for edits 1 to 10. Some models support fewer.',
    }),
  ),
  size: OptionalOrNull(
    Type.String({
      minLength: 1,
      description: '`WIDTHxHEIGHT` or `auto`. The sizes depend on the model.',
    }),
  ),
  quality: OptionalOrNull(
    Type.String({ minLength: 1, description: '`standard`, `hd`, or a quality of the model.' }),
  ),
  response_format: OptionalOrNull(
    Type.Enum(['url', 'b64_json'], {
      description: '`url` is a temporary URL on this gateway. Defaults to what the model itself returns.',
    }),
  ),
  user: OptionalOrNull(Type.String()),
  stream: OptionalOrNull(
    Type.Boolean({ description: 'Set to true to receive server-sent events, with images in Base64.' }),
  ),
  partial_images: OptionalOrNull(
    Type.Integer({
      minimum: 0,
      maximum: 3,
      description: 'With `stream`: how many images to send before each final one, as far as the model does.',
    }),
  ),
}

export const GenerationRequestSchema = Type.Object({
  ...fields,
  style: OptionalOrNull(
    Type.String({ minLength: 1, description: '`vivid`, `natural`, or a style of the model.' }),
  ),
})

/** The text fields of the form, without the image files. */
export const EditRequestSchema = Type.Object(fields)

export type ImageFields = Static<typeof GenerationRequestSchema>
