import Type, { type Static, type TSchema } from 'typebox'
import { MODEL_NOTE, STREAM_NOTE } from '../contract-notes.ts'

export const RESPONSE_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number]

const described = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)

const fields = {
  model: Type.String({ minLength: 1, description: MODEL_NOTE }),
  prompt: described(Type.String({ description: 'Words that the audio may contain, to guide the model.' })),
  response_format: described(
    Type.Enum([...RESPONSE_FORMATS], { description: 'Which ones there are depends on the model.' }),
  ),
  temperature: described(Type.Number({ minimum: 0, maximum: 2 })),
  stream: described(Type.Boolean({ description: STREAM_NOTE })),
}

/** The text fields of a form. All others are passed on. */
export const TranslationFields = Type.Object(fields)

export const TranscriptionFields = Type.Object({
  ...fields,
  language: described(Type.String({ description: 'ISO 639-1, such as `en`.' })),
  chunking_strategy: described(Type.String({ description: '`auto`, or an object as JSON.' })),
})

export type AudioFields = Static<typeof TranslationFields>

/** Fields that may have several values. Clients send each as `name[]`. */
export const LISTS = {
  timestamp_granularities: Type.Array(Type.Enum(['word', 'segment'])),
  include: Type.Array(Type.String()),
  known_speaker_names: Type.Array(Type.String()),
  known_speaker_references: Type.Array(Type.String()),
} as const
