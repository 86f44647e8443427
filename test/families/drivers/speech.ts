import { AudioScan } from '../../../src/wire/audio/audio-scan.ts'
import type { FamilyDriver } from '../family-driver.ts'

const OPENAI = { type: 'openai', format: 'speech', path: '/v1' } as const
const COMPATIBLE = { type: 'openai-compatible', format: 'speech', path: '/v1' } as const

const INPUT = 'Hello, world.'
// The sandbox speaks a character in 60 ms.
const LENGTH_MS = INPUT.length * 60

/** Speech. It is only relayed, so no parameter is left out. */
export const speech: FamilyDriver = {
  name: 'speech',
  kind: 'speech',
  model: 'sandbox-speech',
  suppliers: [OPENAI, COMPATIBLE],
  request: (fields = {}) => ({
    path: '/v1/audio/speech',
    body: JSON.stringify({
      model: 'sandbox-speech',
      input: INPUT,
      voice: 'alloy',
      response_format: 'wav',
      ...fields,
    }),
  }),
  check: async (response) => {
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    const scan = new AudioScan()
    scan.push(await response.bytes())
    const { container, durationMs } = scan.facts
    if (container !== 'wav' || durationMs !== LENGTH_MS) throw new Error(`${container} of ${durationMs} ms`)
  },
  dropped: null,
}
