import Type, { type TSchema } from 'typebox'
import { MODEL_NOTE } from '../contract-notes.ts'

const OptionalOrNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

export const SpeechRequestSchema = Type.Object({
  model: Type.String({ minLength: 1, description: MODEL_NOTE }),
  input: Type.String({
    minLength: 1,
    description: 'The text to speak: up to 4,096 characters, or what the model takes.',
  }),
  voice: OptionalOrNull(
    Type.Union([Type.String({ minLength: 1 }), Type.Object({ id: Type.String({ minLength: 1 }) })], {
      description: 'The name of a voice of the model, or an object with the id of a custom voice.',
    }),
  ),
  instructions: OptionalOrNull(Type.String({ description: 'How to speak. Not every model can.' })),
  response_format: OptionalOrNull(
    Type.String({
      minLength: 1,
      description: '`mp3`, `opus`, `aac`, `flac`, `wav` or `pcm`; which ones there are depends on the model.',
    }),
  ),
  speed: OptionalOrNull(Type.Number({ minimum: 0.25, maximum: 4 })),
  stream_format: OptionalOrNull(
    Type.Enum(['audio', 'sse'], { description: '`sse`: events with pieces of audio in Base64.' }),
  ),
})
