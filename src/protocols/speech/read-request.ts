import { compileCheck } from '../../validation/validation.ts'
import { SpeechRequestSchema } from './schema.ts'

export interface SpeechRequest {
  readonly model: string
  readonly input: string
  readonly instructions: string
  /** As the client named it; null when the model chooses. */
  readonly responseFormat: string | null
  readonly speed: number
  /** Whether the audio is to come in events. */
  readonly isEvents: boolean
  /** The body for a supplier, with its name of the model. */
  bodyFor(upstreamModel: string): string
}

const check = compileCheck(SpeechRequestSchema)

/** Checks and reads a parsed body. */
export function readSpeech(body: unknown): SpeechRequest {
  const fields = check(body)
  return {
    model: fields.model,
    input: fields.input,
    instructions: fields.instructions ?? '',
    responseFormat: fields.response_format ?? null,
    speed: fields.speed ?? 1,
    isEvents: fields.stream_format === 'sse',
    bodyFor: (upstreamModel) => JSON.stringify({ ...fields, model: upstreamModel }),
  }
}
