import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings } from '../../src/edges/settings/read-settings.ts'
import { ACCOUNT, auditEvent } from '../../src/edges/storage/testing/samples.ts'
import { encodeJournalLine } from '../../src/rules/ledger/journal-line.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'
import { DAY_MS, FIRST_DAY_MS, paidSettlement, SETTLEMENTS } from './support/filled-ledger.ts'

let dataFolder: string
let gateway: TestGateway | null = null
beforeEach(() => {
  dataFolder = makeDataFolder()
})
afterEach(async () => {
  await gateway?.stop()
  gateway = null
  removeDataFolder(dataFolder)
})

async function start(environment: Record<string, string>): Promise<TestGateway> {
  await gateway?.stop()
  const clock = createMovableClock(FIRST_DAY_MS + 5 * DAY_MS + 3_600_000)
  gateway = await startTestGateway({ dataFolder, clock, environment })
  return gateway
}

interface Verification {
  readonly difference: string | null
  readonly checked: { readonly settlements: number }
}
const verify = (on: TestGateway) => on.operator<Verification>('GET', '/ledger/verify')

test('a gateway with a retention setting deletes old details, and sets late ones aside from then on', async () => {
  const keeping = await start({})
  await keeping.storage.saveAccount(ACCOUNT, auditEvent('evt_account'))
  await keeping.storage.writeSettlements(SETTLEMENTS)
  expect(await verify(keeping)).toMatchObject({ difference: null, checked: { settlements: 24 } })

  const deleting = await start({ TURNPIKE_SETTLEMENT_DAYS: '2' })
  await eventually(
    'old settlements are gone',
    async () => (await verify(deleting)).checked.settlements === 12,
  )
  expect((await verify(deleting)).difference).toBeNull()
  const { data } = await deleting.operator<{ data: { action: string; after: object }[] }>(
    'GET',
    '/audit?limit=200',
  )
  expect(data.filter(({ action }) => action === 'settlements.deleted').map(({ after }) => after)).toEqual([
    { ended_before: '2026-01-13T00:00:00Z', kept_days: 2 },
  ])

  await deleting.stop()
  gateway = null
  const late = paidSettlement({ requestId: 'req_late', startedAtMs: FIRST_DAY_MS })
  mkdirSync(join(dataFolder, 'journal'), { recursive: true })
  writeFileSync(
    join(dataFolder, 'journal', 'journal-00000500.jsonl'),
    encodeJournalLine({ type: 'settled', settlement: late }),
  )
  const again = await start({})
  expect(readFileSync(join(dataFolder, 'journal', 'set-aside.jsonl'), 'utf8')).toContain('req_late')
  expect((await verify(again)).difference).toContain('req_late is set aside')
})

test.each(['0', '-1', '1.5', 'ever'])('TURNPIKE_SETTLEMENT_DAYS takes no %j', (text) => {
  expect(() => readSettings({ TURNPIKE_SETTLEMENT_DAYS: text })).toThrow('TURNPIKE_SETTLEMENT_DAYS')
})

test('details are kept forever by default', () => {
  expect(readSettings({}).settlementDays).toBeNull()
  expect(readSettings({ TURNPIKE_SETTLEMENT_DAYS: '90' }).settlementDays).toBe(90)
})
