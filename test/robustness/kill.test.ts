import { afterEach, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { ChatLoad } from './support/chat-load.ts'
import {
  COMMAND_LINE,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from './support/gateway-process.ts'
import { makeDatabase } from './support/own-database.ts'
import { readStoredLedger } from './support/stored-ledger.ts'
import { liftLimits } from './support/supply.ts'

const SEED = 20_260_610
const SHORTEST_LIFE_MS = 40
const LONGEST_LIFE_MS = 250
// Far beyond any start that works: it finds one that hangs.
const SLOWEST_START_MS = 30_000

/** Numbers from 0 to 1 that are the same on every run. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

let folder = ''
let gateway: GatewayProcess | null = null

afterEach(async () => {
  await stopProcess(gateway)
  removeFolder(folder)
})

interface Loop {
  readonly seed: number
  readonly rounds: number
  readonly environment: Readonly<Record<string, string>>
}

/** Starts and kills the gateway again and again under load; gives the ids of all requests that were answered. */
async function killAgainAndAgain({ seed, rounds, environment }: Loop): Promise<string[]> {
  const random = seededRandom(seed)
  const answered: string[] = []
  const starts: number[] = []
  for (let round = 0; round < rounds; round++) {
    gateway = await startProcess(environmentOf(folder, environment))
    starts.push(gateway.startMs)
    if (round === 0) await liftLimits(gateway)
    const load = new ChatLoad(gateway.url, { model: 'sandbox-chat', clients: 8 })
    // Answered after seconds, so every kill finds some of these in the middle of it.
    const waiting = new ChatLoad(gateway.url, { model: 'sandbox-slow', clients: 2 })
    // On a busy machine the first answer may take longer than all of the life that is meant for the gateway.
    await eventually('two answers', () => load.answered.length > 1)
    await Bun.sleep(SHORTEST_LIFE_MS + random() * (LONGEST_LIFE_MS - SHORTEST_LIFE_MS))
    gateway.signal('SIGKILL')
    await Promise.all([gateway.exited, load.ended(), waiting.ended()])
    answered.push(...load.answered)
  }
  starts.sort((one, other) => one - other)
  console.log(
    `${rounds} kills: ${answered.length} requests answered, starts took ${Math.round(starts[Math.floor(rounds / 2)] ?? 0)} ms at the median, ${Math.round(starts.at(-1) ?? 0)} ms at most`,
  )
  expect(starts.at(-1)).toBeLessThan(SLOWEST_START_MS)
  return answered
}

/** Verifies the ledger offline; settlements that wait in the journal for the next start are no difference. */
async function expectVerified({ environment }: Loop): Promise<void> {
  const child = Bun.spawn([...COMMAND_LINE, 'ledger', 'verify', '--offline'], {
    env: environmentOf(folder, environment),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, complaint, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  expect([status, complaint]).toEqual([0, ''])
  expect(said).toStartWith('The ledger is consistent.')
}

async function expectExactLedger(answered: readonly string[], loop: Loop): Promise<void> {
  await expectVerified(loop)
  // The last start takes over what the last kill left in the journal, and ends in an orderly way.
  gateway = await startProcess(environmentOf(folder, loop.environment))
  gateway.signal('SIGTERM')
  expect(await gateway.exited).toBe(0)
  await expectVerified(loop)
  const ledger = await readStoredLedger(folder, loop.environment.DATABASE_URL ?? null)
  const ids = ledger.settlements.map(({ requestId }) => requestId)
  expect(new Set(ids).size).toBe(ids.length)
  const completed = new Set(
    ledger.settlements.flatMap(({ requestId, outcome }) => (outcome === 'completed' ? [requestId] : [])),
  )
  expect(answered.length).toBeGreaterThan(loop.rounds)
  expect(answered.filter((id) => !completed.has(id))).toEqual([])
  expect(ledger.ledgerDifference).toBeNull()
  const charged = ledger.settlements.reduce((sum, { amountNano }) => sum + amountNano, 0n)
  expect(charged).toBeGreaterThan(0n)
  expect(ledger.balanceNano).toBe(-charged)
  const interrupted = ledger.settlements.filter(({ outcome }) => outcome === 'interrupted')
  expect(interrupted.length).toBeGreaterThan(0)
  expect(interrupted.filter(({ amountNano }) => amountNano !== 0n)).toEqual([])
}

describe('kill -9 under load loses no answered request and charges none twice', () => {
  test.each([SEED, SEED + 1])(
    '10 times on SQLite, with the seed %d',
    async (seed) => {
      folder = makeFolder()
      const loop = { seed, rounds: 10, environment: {} }
      await expectExactLedger(await killAgainAndAgain(loop), loop)
    },
    300_000,
  )

  test.skipIf(!process.env.TEST_DATABASE_URL)(
    '5 times on PostgreSQL',
    async () => {
      folder = makeFolder()
      const database = await makeDatabase()
      if (database === null) throw new Error('TEST_DATABASE_URL is not set')
      try {
        const loop = { seed: SEED, rounds: 5, environment: { DATABASE_URL: database.url } }
        await expectExactLedger(await killAgainAndAgain(loop), loop)
        await stopProcess(gateway)
      } finally {
        await database.drop()
      }
    },
    300_000,
  )
})
