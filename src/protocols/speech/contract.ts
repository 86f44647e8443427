import Type from 'typebox'
import { requestBody } from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { SpeechRequestSchema } from './schema.ts'

/** The endpoint that speaks a text. */
export const SPEECH_CONTRACT = {
  tag: 'Audio',
  id: 'createSpeech',
  summary: 'Speak a text',
  description: 'For models with `speech` in `gateway.kinds`.',
  body: requestBody('SpeechRequest', SpeechRequestSchema, {
    model: 'sandbox-speech',
    input: 'The quick brown fox jumped over the lazy dog.',
    voice: 'alloy',
    response_format: 'wav',
  }),
  answer: {
    description: "The audio as it is generated, with the supplier's content type.",
    name: null,
    schema: Type.String({ format: 'binary' }),
    example: '(audio)',
    contentType: 'audio/*',
    stream: 'With `"stream_format": "sse"`: events `speech.audio.delta` and at last `speech.audio.done`.',
  },
} as const satisfies FormatContract
