import { describe, test } from 'bun:test'
import { mixedStreams } from './mixed-streams.ts'
import { mixedVersions } from './mixed-versions.ts'
import { overlappingFaults } from './overlapping.ts'
import type { FaultScenario } from './scenario.ts'

/** Long runs, apart from `npm test`: `npm run faults`, or one of them with `npm run faults -- -t overlapping`. */
const SCENARIOS: readonly FaultScenario[] = [mixedStreams, overlappingFaults, mixedVersions]

const seed = Number(process.env.FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 31))
const scale = Number(process.env.FAULTS_SCALE ?? 1)
const PATIENCE_MS = 10 * 60 * 1_000 * scale

console.log(`FAULTS_SEED=${seed} FAULTS_SCALE=${scale}: set both to run the same again`)

describe('faults', () => {
  for (const { name, about, run } of SCENARIOS) {
    const log = (line: string) => console.log(`${name}: ${line}`)
    test(`${name}: ${about}`, () => run({ random: seededRandom(seed), scale, log }), PATIENCE_MS)
  }
})

/** Mulberry32: small, and the same everywhere. */
function seededRandom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
