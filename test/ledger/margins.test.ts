import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createWriter } from '../../src/edges/management-api/operator/reports/export-format.ts'
import type { Database } from '../../src/edges/storage/engines/database.ts'
import { MIGRATIONS, migrate } from '../../src/edges/storage/migrations.ts'
import { saveAccount } from '../../src/edges/storage/tables/accounts/accounts.ts'
import { listSettlements, readSettlements } from '../../src/edges/storage/tables/money/settlement-list.ts'
import { writeSettlements } from '../../src/edges/storage/tables/money/settlements.ts'
import { verifyLedger } from '../../src/edges/storage/tables/money/verify-ledger.ts'
import { listUsage } from '../../src/edges/storage/tables/usage/list-usage.ts'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { ACCOUNT } from '../../src/edges/storage/testing/samples.ts'
import { Metrics } from '../../src/edges/telemetry/metrics/metrics.ts'
import { renderReadings } from '../../src/edges/telemetry/metrics/readings.ts'
import { SETTLEMENT_EXPORT } from '../../src/rules/ledger/export-columns.ts'
import { viewSettlement } from '../../src/rules/ledger/view-settlement.ts'
import { formatUsdt, parseUsdt } from '../../src/vocabulary/money.ts'
import { type Settlement, SettlementView } from '../../src/vocabulary/settlement.ts'
import type { Shown } from '../../src/vocabulary/shape.ts'
import { arbitraryBatches, firstOfEach } from './support/arbitrary-settlement.ts'

const NO_JOURNAL = { settled: () => [], setAside: () => [] }
const TABLES = ['settlements', 'usage_totals', 'account_usage', 'account_balances', 'key_daily_spend']
const ALL = { limit: 1_000, cursor: null }
const FEMTO = 10n ** 15n

/** Sums of one model at one supplier. */
interface Sums {
  readonly amount: string
  readonly cost: string
  readonly margin: string
}

for (const engine of testedEngines()) {
  describe(`amount, cost and margin on ${engine.name}`, () => {
    let site: Site
    let database: Database
    beforeAll(async () => {
      site = await engine.makeSite()
      database = await site.openDatabase()
      await migrate(database, MIGRATIONS)
      for (const id of ['acc_1', 'acc_2']) await saveAccount(database, { ...ACCOUNT, id })
    })
    afterAll(async () => {
      await database.close()
      await site.remove()
    })

    test('are the same in lists, exports, usage, metrics and verification', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryBatches(), async (batches) => {
          for (const table of TABLES) await database.rows(`delete from ${table}`, [])
          for (const batch of batches) await writeSettlements(database, batch)
          const settled = firstOfEach(batches)
          const expected = sumsOf(settled.map((one) => ({ ...one, ...marginOf(one) })))
          const listed = await list()
          for (const one of listed) requireFormula(one)
          expect(sumsOf(listed.map(readShown))).toEqual(expected)
          expect(sumsOf((await exported()).map(readShown))).toEqual(expected)
          expect(sumsOf(await counted())).toEqual(expected)
          expect(measured(settled)).toEqual(withoutFree(expected))
          expect((await verifyLedger(database, NO_JOURNAL, { mayWait: false })).difference).toBeNull()
        }),
        { numRuns: engine.name === 'SQLite' ? 40 : 10 },
      )
    })

    async function list(): Promise<Shown<typeof SettlementView>[]> {
      const { data } = await listSettlements(database, {}, ALL)
      return data.map((one) => SettlementView.show(viewSettlement(one)))
    }

    async function exported(): Promise<ExportedLine[]> {
      const writer = createWriter('jsonl', SETTLEMENT_EXPORT)
      return (await readSettlements(database, {}, ALL)).map((line) => JSON.parse(writer.write(line)))
    }

    async function counted(): Promise<Counted[]> {
      const groupBy = ['model', 'supplier'] as const
      const { data } = await listUsage(database, { span: 'hour', filter: {}, groupBy }, ALL)
      return data.map(({ group: { model = '', supplier = null }, figures: { amountNano, marginNano } }) => {
        return { model, supplier, amountNano, marginNano, costNano: amountNano - marginNano }
      })
    }
  })
}

type Counted = Pick<Settlement, 'model' | 'supplier' | 'amountNano' | 'costNano'> & {
  readonly marginNano: bigint
}

type ExportedLine = Pick<Shown<typeof SettlementView>, 'model' | 'supplier' | 'amount' | 'cost'> & {
  readonly margin: string
}

function marginOf({ amountNano, costNano }: Settlement) {
  return { marginNano: amountNano - costNano }
}

function sumsOf(parts: readonly Counted[]): Record<string, Sums> {
  const byPlace = Map.groupBy(parts, placeOf)
  const sum = (of: readonly bigint[]) => formatUsdt(of.reduce((total, nano) => total + nano, 0n))
  const sums = [...byPlace].map(([place, members]): [string, Sums] => [
    place,
    {
      amount: sum(members.map(({ amountNano }) => amountNano)),
      cost: sum(members.map(({ costNano }) => costNano)),
      margin: sum(members.map(({ marginNano }) => marginNano)),
    },
  ])
  return Object.fromEntries(sums)
}

function placeOf({ model, supplier }: Pick<Settlement, 'model' | 'supplier'>): string {
  return JSON.stringify([model, supplier ?? ''])
}

function readShown(shown: Omit<ExportedLine, 'margin'> & Partial<ExportedLine>): Counted {
  const [amountNano, costNano] = [parseUsdt(shown.amount, ''), parseUsdt(shown.cost, '')]
  const marginNano = shown.margin === undefined ? amountNano - costNano : parseUsdt(shown.margin, '')
  return { model: shown.model, supplier: shown.supplier, amountNano, costNano, marginNano }
}

/** The lines sum up to the total, rounded half up to 9 decimals, and the mark-up on that gives the amount. */
function requireFormula({ lines, price_total, markup_percent, amount }: Shown<typeof SettlementView>): void {
  const exact = lines.reduce((sum, line) => sum + femtoOf(line.amount), 0n)
  for (const { quantity, rate, per, amount: ofLine } of lines) {
    const perUnit = femtoOf(rate) / (per === 'million' ? 1_000_000n : 1n)
    expect(femtoOf(ofLine)).toBe(BigInt(quantity) * perUnit)
  }
  const total = (exact + 500_000n) / 1_000_000n
  expect(price_total).toBe(formatUsdt(total))
  const parts = BigInt(Math.round(10_000 + (markup_percent ?? 0) * 100))
  expect(amount).toBe(formatUsdt((total * parts + 5_000n) / 10_000n))
}

function femtoOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole) * FEMTO + BigInt(fraction.padEnd(15, '0'))
}

const PROCESS = { residentBytes: 0, cpuSeconds: 0, startedAtSeconds: 0, version: '1' }

function measured(settlements: readonly Settlement[]): Record<string, Sums> {
  const metrics = new Metrics()
  metrics.noteSettlements(settlements)
  const text = renderReadings(metrics.read({ liveStreams: 0, journalWaiting: 0, process: PROCESS }))
  const sums: Record<string, Sums> = {}
  const pattern = /^turnpike_spend_usdt_total\{model=("(?:[^"\\]|\\.)*"),supplier=("[^"]*")\} (.+)$/gm
  for (const [line, model = '', supplier = '', amount = ''] of text.matchAll(pattern)) {
    const labels = line.slice(line.indexOf('{'), line.lastIndexOf(' '))
    const start = `turnpike_cost_usdt_total${labels} `
    const cost =
      text
        .split('\n')
        .find((other) => other.startsWith(start))
        ?.slice(start.length) ?? ''
    const margin = formatUsdt(parseUsdt(amount, '') - parseUsdt(cost, ''))
    sums[JSON.stringify([JSON.parse(model), JSON.parse(supplier)])] = { amount, cost, margin }
  }
  return sums
}

function withoutFree(sums: Readonly<Record<string, Sums>>): Record<string, Sums> {
  const moved = Object.entries(sums).filter(([, { amount, cost }]) => amount !== '0' || cost !== '0')
  return Object.fromEntries(moved)
}
