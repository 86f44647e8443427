import Type, { type TSchema } from 'typebox'
import { requestBody } from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { LISTS, TranscriptionFields, TranslationFields } from './schema.ts'

const file = Type.String({
  format: 'binary',
  description:
    'The audio. Its format is told by its content: WAV, MP3, MP4, WebM, Ogg, FLAC, AAC or another one.',
})

const lists = Object.fromEntries(
  Object.entries(LISTS).map(([name, schema]) => [`${name}[]`, Type.Optional(schema as TSchema)]),
)

const Count = Type.Integer({ minimum: 0 })

const Usage = Type.Union([
  Type.Object({ type: Type.Literal('duration'), seconds: Type.Number({ minimum: 0 }) }),
  Type.Object({
    type: Type.Literal('tokens'),
    input_tokens: Count,
    input_token_details: Type.Optional(Type.Object({ text_tokens: Count, audio_tokens: Count })),
    output_tokens: Count,
    total_tokens: Count,
  }),
])

const Reply = Type.Object({
  text: Type.String(),
  usage: Type.Optional(Usage),
  language: Type.Optional(Type.String({ description: 'In `verbose_json`.' })),
  duration: Type.Optional(Type.Number({ description: 'In `verbose_json` and `diarized_json`: seconds.' })),
  segments: Type.Optional(Type.Array(Type.Unknown())),
  words: Type.Optional(Type.Array(Type.Unknown())),
})

const example = { model: 'sandbox-transcribe', file: '(a file)', response_format: 'json' }

const common = {
  tag: 'Audio',
  answer: {
    description:
      'The text, as the supplier sends it: JSON, or plain text, SRT or WebVTT if `response_format` says so.',
    name: 'Transcript',
    schema: Reply,
    example: { text: 'Hello.', usage: { type: 'duration', seconds: 2 } },
    stream: 'Events `transcript.text.delta` and at last `transcript.text.done`.',
  },
} as const

/** The endpoints that write audio down. */
export const TRANSCRIPTION_CONTRACTS = {
  transcribe: {
    ...common,
    id: 'createTranscription',
    summary: 'Transcribe audio',
    description: 'For models with `transcription` in `gateway.kinds`.',
    body: {
      ...requestBody(
        'TranscriptionRequest',
        Type.Object({ ...TranscriptionFields.properties, ...lists, file }),
        example,
      ),
      contentType: 'multipart/form-data',
    },
  },
  translate: {
    ...common,
    id: 'createTranslation',
    summary: 'Transcribe audio in English',
    description: 'Like a transcription, in English whatever language is spoken. Not every model can.',
    body: {
      ...requestBody('TranslationRequest', Type.Object({ ...TranslationFields.properties, file }), example),
      contentType: 'multipart/form-data',
    },
  },
} as const satisfies Readonly<Record<string, FormatContract>>
