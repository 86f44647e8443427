import { SPEECH_CONTRACT } from '../../../protocols/speech/index.ts'
import { TRANSCRIPTION_CONTRACTS } from '../../../protocols/transcriptions/index.ts'
import type { FamilyEndpoint } from '../family.ts'
import { modelContract } from '../model-contract.ts'
import { speechFamily } from './speech.ts'
import { transcriptionFamily } from './transcription.ts'

/** Audio into text, and text into audio. */
export const AUDIO_ENDPOINTS: readonly FamilyEndpoint[] = [
  {
    path: '/v1/audio/transcriptions',
    family: transcriptionFamily(false),
    contract: modelContract(TRANSCRIPTION_CONTRACTS.transcribe),
  },
  {
    path: '/v1/audio/translations',
    family: transcriptionFamily(true),
    contract: modelContract(TRANSCRIPTION_CONTRACTS.translate),
  },
  { path: '/v1/audio/speech', family: speechFamily, contract: modelContract(SPEECH_CONTRACT) },
]
