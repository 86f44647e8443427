import { afterEach, expect, test } from 'bun:test'
import { startOwnPostgres } from '../../scripts/tests/postgres.ts'
import { eventually } from '../support/eventually.ts'
import { ChatLoad } from './support/chat-load.ts'
import {
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from './support/gateway-process.ts'
import { readStoredLedger } from './support/stored-ledger.ts'
import { liftLimits } from './support/supply.ts'

// Longer than any wait between two tries of the writer; a whole half minute by setting this to 30.
const AWAY_SECONDS = Number(process.env.TEST_DATABASE_AWAY_SECONDS ?? 6)

const postgres = process.env.TEST_DATABASE_URL ? await startOwnPostgres() : null
let folder = ''
let gateway: GatewayProcess | null = null
afterEach(async () => {
  await stopProcess(gateway)
  removeFolder(folder)
  await postgres?.stop()
})

test.skipIf(postgres === null)(
  `PostgreSQL is away for ${AWAY_SECONDS} s under load: nothing is lost`,
  async () => {
    if (postgres === null) return
    folder = makeFolder()
    const environment = environmentOf(folder, { DATABASE_URL: postgres.url })
    gateway = await startProcess(environment)
    await liftLimits(gateway)
    const load = new ChatLoad(gateway.url, { model: 'sandbox-chat', clients: 4, pauseMs: 20 })
    await eventually('traffic', () => load.answered.length > 50)
    postgres.halt()
    const before = load.answered.length
    // The time the database is away is what is tested.
    await Bun.sleep(AWAY_SECONDS * 1_000)
    const meanwhile = load.answered.length - before
    postgres.restart()
    await load.stop()
    expect(load.troubles).toEqual([])
    expect(meanwhile).toBeGreaterThan(AWAY_SECONDS * 10)
    console.log(`${AWAY_SECONDS} s without the database: ${meanwhile} requests answered meanwhile`)
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(0)
    const { settlements, ledgerDifference } = await readStoredLedger(folder, postgres.url)
    const completed = settlements
      .filter(({ outcome }) => outcome === 'completed')
      .map(({ requestId }) => requestId)
    expect(new Set(completed).size).toBe(completed.length)
    expect(completed.toSorted()).toEqual(load.answered.toSorted())
    expect(ledgerDifference).toBeNull()
  },
)
