import { wavFile } from '../../../src/wire/audio/testing/audio-files.ts'
import type { FamilyDriver } from '../family-driver.ts'

const OPENAI = { type: 'openai', format: 'transcriptions', path: '/v1' } as const
const COMPATIBLE = { type: 'openai-compatible', format: 'transcriptions', path: '/v1' } as const

/** Transcriptions. They are only relayed, so no parameter is left out. */
export const transcriptions: FamilyDriver = {
  name: 'transcriptions',
  kind: 'transcription',
  model: 'sandbox-transcribe',
  suppliers: [OPENAI, COMPATIBLE],
  request: (fields = {}) => {
    const body = new FormData()
    const given = { model: 'sandbox-transcribe', response_format: 'json', ...fields }
    for (const [name, value] of Object.entries(given)) body.append(name, String(value))
    body.append('file', new File([wavFile(1_500)], 'talk.wav'))
    return { path: '/v1/audio/transcriptions', body }
  },
  check: async (response) => {
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    const { text, usage } = (await response.json()) as { text: string; usage?: { seconds: number } }
    if (!text.startsWith('This recording has')) throw new Error(`not a transcript: ${text}`)
    if (usage !== undefined && usage.seconds !== 2) throw new Error(`a wrong length: ${usage.seconds}`)
  },
  dropped: null,
}
