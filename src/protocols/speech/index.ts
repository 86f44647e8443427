import { decodeErrorBody } from '../error-body.ts'
import type { Protocol } from '../protocol.ts'

export { SPEECH_CONTRACT } from './contract.ts'
export { readSpeech, type SpeechRequest } from './read-request.ts'
export { AudioTap, type SpokenAudio } from './tap-audio.ts'
export { openEventsTap } from './tap-events.ts'

type SpeechProtocol = Pick<
  Protocol,
  'name' | 'decodeError' | 'heartbeat' | 'generatedText' | 'breaksOffAfterError'
>

const common = { name: 'speech', decodeError: decodeErrorBody, generatedText: () => '' } as const

/** Speech as audio, for clients and suppliers. An error within it can only be a broken connection. */
export const speech: SpeechProtocol = { ...common, heartbeat: null, breaksOffAfterError: true }

/** Speech in events. */
export const speechEvents: SpeechProtocol = { ...common, heartbeat: ': keep-alive\n\n' }
