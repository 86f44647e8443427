import type { Usage } from '../../conversation/usage.ts'
import type { JsonObject } from '../../wire/json-values.ts'
import { decodeErrorBody } from '../error-body.ts'
import type { Protocol } from '../protocol.ts'
import { RelayedEvents } from '../supplier-event.ts'
import { generatedText, readEvent } from './decode-reply.ts'

export { TRANSCRIPTION_CONTRACTS } from './contract.ts'
export { decodeReply } from './decode-reply.ts'
export { encodeRequest } from './encode-request.ts'
export { type AudioFile, readAudioForm, type TranscriptionRequest } from './read-request.ts'

/** Transcriptions and translations of audio, for clients and suppliers. They are relayed. */
export const transcriptions: Pick<Protocol, 'name' | 'decodeError' | 'heartbeat' | 'generatedText'> = {
  name: 'transcriptions',
  decodeError: decodeErrorBody,
  generatedText,
  heartbeat: ': keep-alive\n\n',
}

export interface TranscriptCounts {
  /** Our own count after so many tokens of text. */
  count(outputTokens: number): Usage
  /** What to charge by a supplier's report; null when it does not say that. */
  judge(reported: Usage): Usage | null
}

/** Reads a stream of events. */
export function openTranscriptTap({ count, judge }: TranscriptCounts): RelayedEvents {
  const judged = (event: JsonObject) => {
    const reading = readEvent(event)
    return reading.usage === null ? reading : { ...reading, usage: judge(reading.usage) }
  }
  return new RelayedEvents({ readEvent: judged, countUsage: count })
}
