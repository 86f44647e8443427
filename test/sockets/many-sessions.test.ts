import { afterEach, expect, test } from 'bun:test'
import {
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from '../robustness/support/gateway-process.ts'
import { readStoredLedger } from '../robustness/support/stored-ledger.ts'
import { liftLimits } from '../robustness/support/supply.ts'
import { eventually } from '../support/eventually.ts'
import { openSessions, type Session } from './support/session-load.ts'

/** `npm run sockets` sets 1,000. */
const SESSIONS = Number(process.env.TEST_SESSIONS ?? 200)
// Each session has a turn in a fraction of a second, but they share one process with all others.
const PATIENCE_MS = 30_000 + SESSIONS * 200

let folder = ''
let gateway: GatewayProcess | null = null
let sessions: Session[] = []

afterEach(async () => {
  for (const session of sessions.splice(0)) session.close()
  await stopProcess(gateway)
  removeFolder(folder)
})

async function startWithSessions(): Promise<GatewayProcess> {
  folder = makeFolder()
  const environment = { TURNPIKE_SUPPLY: 'off', TURNPIKE_LOG_LEVEL: 'warn' }
  gateway = await startProcess(environmentOf(folder, environment))
  await liftLimits(gateway)
  sessions = await openSessions(gateway, SESSIONS)
  await eventually(
    'a response in every session',
    () => sessions.every(({ answered }) => answered > 0),
    PATIENCE_MS,
  )
  return gateway
}

/** Sessions whose settlements differ from what they were answered. */
async function findFaults() {
  const { settlements, ledgerDifference } = await readStoredLedger(folder)
  expect(ledgerDifference).toBeNull()
  expect(new Set(settlements.map(({ requestId }) => requestId)).size).toBe(settlements.length)
  const byKey = Map.groupBy(settlements, ({ keyId }) => keyId)
  const completed = (session: Session) =>
    (byKey.get(session.keyId) ?? []).filter(({ outcome }) => outcome === 'completed').length
  return {
    settlements,
    lost: sessions.filter((session) => completed(session) < session.answered),
    doubled: sessions.filter((session) => (byKey.get(session.keyId) ?? []).length > session.sent),
  }
}

const sum = (pick: (session: Session) => number) => sessions.reduce((all, session) => all + pick(session), 0)

test(
  `a killed node loses no response of ${SESSIONS} sessions and charges none twice`,
  async () => {
    const killed = await startWithSessions()
    killed.signal('SIGKILL')
    await killed.exited
    await Promise.all(sessions.map(({ ended }) => ended))
    // The next start stores what was only in the journal.
    gateway = await startProcess(environmentOf(folder, { TURNPIKE_SUPPLY: 'off' }))
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(0)
    const { lost, doubled } = await findFaults()
    console.log(`killed: ${sum(({ sent }) => sent)} sent, ${sum(({ answered }) => answered)} answered`)
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
  },
  3 * PATIENCE_MS,
)

test(
  `a node that shuts down finishes the responses of ${SESSIONS} sessions`,
  async () => {
    const stopped = await startWithSessions()
    stopped.signal('SIGTERM')
    expect(await stopped.exited).toBe(0)
    await Promise.all(sessions.map(({ ended }) => ended))
    const { lost, doubled, settlements } = await findFaults()
    console.log(`drained: ${sum(({ sent }) => sent)} sent, ${sum(({ answered }) => answered)} answered`)
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
    expect(new Set(settlements.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
    expect(settlements).toHaveLength(sum(({ answered }) => answered))
    expect(new Set(sessions.map(({ closeCode }) => closeCode))).toEqual(new Set([1001]))
  },
  3 * PATIENCE_MS,
)
