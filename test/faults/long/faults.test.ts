import { describe, test } from 'bun:test'
import { fullDisk } from '../full-disk.ts'
import { mixedStreams } from '../mixed-streams.ts'
import { mixedVersions } from '../mixed-versions.ts'
import { overlappingFaults } from '../overlapping.ts'
import { firstStart, powerCut } from '../power-cut.ts'
import { type FaultScenario, seededRandom } from '../scenario.ts'
import { sayLeftOut } from '../support/disk.ts'

/** Long runs, apart from `npm test`: `npm run faults`, or one of them with `npm run faults -- -t overlapping`. */
const SCENARIOS: readonly FaultScenario[] = [
  powerCut,
  firstStart,
  fullDisk,
  mixedStreams,
  overlappingFaults,
  mixedVersions,
]

const seed = Number(process.env.FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 31))
const scale = Number(process.env.FAULTS_SCALE ?? 1)
const PATIENCE_MS = 10 * 60 * 1_000 * scale

console.log(`FAULTS_SEED=${seed} FAULTS_SCALE=${scale}: set both to run the same again`)

describe('faults', () => {
  for (const { name, about, whyNot, run } of SCENARIOS) {
    const reason = whyNot?.() ?? null
    sayLeftOut(name, reason)
    const log = (line: string) => console.log(`${name}: ${line}`)
    const start = () => run({ seed, random: seededRandom(seed), scale, log })
    test.skipIf(reason !== null)(`${name}: ${about}`, start, PATIENCE_MS)
  }
})
