import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { settlement } from '../../src/edges/storage/testing/samples.ts'
import {
  CURSOR_COLUMN,
  kindOf,
  LEDGER_EXPORT,
  SETTLEMENT_EXPORT,
} from '../../src/rules/ledger/export-columns.ts'
import type { Price } from '../../src/vocabulary/price.ts'
import type { Settlement } from '../../src/vocabulary/settlement.ts'
import { BOOTSTRAP_KEY, OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const START_MS = Date.UTC(2026, 2, 1)
const COUNT = 1_234

const FREE: Price = {
  inputNanoPerMillion: 0n,
  outputNanoPerMillion: 0n,
  imageNano: 0n,
  cacheReadNanoPerMillion: 0n,
  cacheWriteNanoPerMillion: 0n,
}
const SPECIAL: Partial<Settlement> = {
  usage: {
    input: 5,
    cacheRead: 0,
    cacheWrite: 3,
    output: 1_000_000,
    reasoning: 0,
    images: 0,
    details: { cacheWrite1h: 3, webSearches: 2, serviceTier: 'flex' },
  },
  price: {
    ...FREE,
    inputNanoPerMillion: 1_000_000n,
    webSearchNano: 10_000_000n,
    imageRates: [{ size: '1x1', quality: null, imageNano: 1_000_000_000n }],
  },
  markupBasisPoints: 1_250,
  amountNano: 22_500_006n,
  costRates: { ...FREE, outputNanoPerMillion: 1_000n },
  costNano: 1n,
  notes: ['cut_by_balance', 'abort_charged'],
}

let gateway: TestGateway
let settled: Settlement[]
beforeAll(async () => {
  gateway = await startTestGateway()
  settled = Array.from({ length: COUNT }, (_, index) =>
    settlement({
      requestId: `req_${String(index).padStart(5, '0')}`,
      accountId: `acc_${index % 3}`,
      keyId: `key_${index % 6}`,
      model: index % 2 === 0 ? 'gpt-5' : '=HYPERLINK("http://x","y")',
      amountNano: BigInt(index),
      // Several of one moment, so that pages end among equals.
      startedAtMs: START_MS + Math.floor(index / 7),
      durationMs: 10_000 - index,
      ...(index === 1_000 && SPECIAL),
    }),
  )
  await gateway.storage.writeSettlements(settled)
})
afterAll(() => gateway.stop())

async function ask(path: string): Promise<Response> {
  return fetch(`${gateway.url}/operator/v1/exports${path}`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  })
}

type Row = Record<string, string>

async function askCsv(path: string): Promise<Row[]> {
  return parse(Buffer.from(await (await ask(path)).arrayBuffer()), { columns: true, bom: true }) as Row[]
}

async function askJson(path: string): Promise<Row[]> {
  const text = await (await ask(path)).text()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

describe('settlements', () => {
  test('are exported completely, oldest first, with the documented columns', async () => {
    const response = await ask('/settlements?to=2026-04-01T00:00:00Z')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="settlements.csv"')
    const bytes = Buffer.from(await response.arrayBuffer())
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    const rows = parse(bytes, { bom: true }) as string[][]
    expect(rows[0]).toEqual([...SETTLEMENT_EXPORT.map(({ name }) => name), CURSOR_COLUMN])
    expect(rows.slice(1).map(([requestId]) => requestId)).toEqual(settled.map(({ requestId }) => requestId))
  })

  test('are the same as JSON Lines, except for spreadsheet protection', async () => {
    const csv = await askCsv('/settlements')
    const json = await askJson('/settlements?format=jsonl')
    expect(json).toHaveLength(COUNT)
    const asText = (value: unknown) => {
      if (typeof value === 'object' && value !== null) return JSON.stringify(value)
      return value === null ? '' : String(value)
    }
    for (const [index, line] of json.entries()) {
      const plain = Object.fromEntries(Object.entries(line).map(([name, value]) => [name, asText(value)]))
      if (plain.model?.startsWith('=')) plain.model = `'${plain.model}`
      expect(csv[index]).toEqual(plain)
    }
    expect(json[7]).toMatchObject({
      request_id: 'req_00007',
      started_at: '2026-03-01T00:00:00.001Z',
      ended_at: '2026-03-01T00:00:09.994Z',
      amount: '0.000000007',
      output_price: '9007199.254740993',
      stream: true,
      first_byte_ms: 120,
      attempts: 1,
    })
  })

  test('have what is priced apart, the mark-up, the cost and the margin', async () => {
    const [plain] = await askJson('/settlements?format=jsonl&limit=1')
    expect(plain).toMatchObject({
      cache_write_1h_tokens: null,
      web_searches: null,
      service_tier: null,
      rates: null,
      price_total: '180.143997595',
      markup_percent: null,
      notes: null,
      cost_rates: null,
      amount: '0',
      cost: '0.000001',
      margin: '-0.000001',
    })
    const special = (await askJson('/settlements?format=jsonl')).find(
      (line) => line.request_id === 'req_01000',
    )
    expect(special).toMatchObject({
      cache_write_1h_tokens: 3,
      audio_input_tokens: null,
      web_searches: 2,
      service_tier: 'flex',
      rates: { input: '0.001', web_search: '0.01', images: [{ size: '1x1', quality: null, price: '1' }] },
      price_total: '0.020000005',
      markup_percent: 12.5,
      notes: 'cut_by_balance abort_charged',
      cost_rates: { input: '0', output: '0.000001' },
      amount: '0.022500006',
      cost: '0.000000001',
      margin: '0.022500005',
    })
  })

  test.each([
    ['account_id=acc_1', ({ accountId }: Settlement) => accountId === 'acc_1'],
    ['key_id=key_4', ({ keyId }: Settlement) => keyId === 'key_4'],
    ['model=gpt-5', ({ model }: Settlement) => model === 'gpt-5'],
    [
      'from=2026-03-01T00:00:00.050Z&to=2026-03-01T00:00:00.060Z',
      ({ startedAtMs }: Settlement) => startedAtMs >= START_MS + 50 && startedAtMs < START_MS + 60,
    ],
    ['account_id=nobody', () => false],
  ])('filtered by %s', async (query, isWanted) => {
    const wanted = settled.filter(isWanted).map(({ requestId }) => requestId)
    expect((await askCsv(`/settlements?${query}`)).map((row) => row.request_id)).toEqual(wanted)
  })

  test.each(['csv', 'jsonl'])('continue after any cursor, as %s without a second header', async (format) => {
    const whole = await (await ask(`/settlements?format=${format}`)).text()
    for (const cut of [1, 500, 501, COUNT - 1]) {
      const start = await (await ask(`/settlements?format=${format}&limit=${cut}`)).text()
      const lastLine = start.trimEnd().split('\n').at(-1) ?? ''
      const cursor = format === 'csv' ? lastLine.split(',').at(-1) : JSON.parse(lastLine).cursor
      const rest = await (await ask(`/settlements?format=${format}&cursor=${cursor}`)).text()
      expect(start + rest).toBe(whole)
    }
  })
})

describe('the ledger', () => {
  test('is ordered by account and time, and adds up to the balances', async () => {
    const { id } = await gateway.operator<{ id: string }>('POST', '/accounts', { name: 'Payer' })
    const note = '-1\r\n"quoted", and\nmore'
    await gateway.operator('POST', `/accounts/${id}/payments`, { amount: '12.5', reference: '+1', note })
    const rows = await askCsv('/ledger')
    const json = await askJson('/ledger?format=jsonl')
    expect(json.find((line) => line.account_id === id)).toMatchObject({
      amount: '12.5',
      reference: '+1',
      note,
    })
    expect(rows.find((row) => row.account_id === id)).toMatchObject({ reference: "'+1", note: `'${note}` })
    const places = json.map((line) => [line.account_id, Date.parse(line.created_at ?? ''), line.id].join(' '))
    expect(places).toEqual(places.toSorted())
    for (const [accountId, balanceNano] of await gateway.storage.loadBalances()) {
      const sum = json
        .filter((line) => line.account_id === accountId)
        .reduce((total, { amount = '' }) => total + nanoOf(amount), 0n)
      expect([accountId, sum]).toEqual([accountId, balanceNano])
    }
    expect((await askJson(`/ledger?format=jsonl&account_id=${id}`)).map((line) => line.kind)).toEqual([
      'payment',
    ])
  })

  test('continues after any cursor', async () => {
    const whole = await (await ask('/ledger')).text()
    const start = await (await ask('/ledger?limit=700')).text()
    const cursor = start.trimEnd().split(',').at(-1)
    expect(start + (await (await ask(`/ledger?cursor=${cursor}`)).text())).toBe(whole)
  })

  test('is filtered by the time of an entry, which is when a request ended', async () => {
    const [from, to] = ['2026-03-01T00:00:09Z', '2026-03-01T00:00:09.500Z']
    const endOf = ({ startedAtMs, durationMs }: Settlement) => startedAtMs + durationMs
    const wanted = settled.filter((one) => endOf(one) >= Date.parse(from) && endOf(one) < Date.parse(to))
    const found = await askCsv(`/ledger?from=${from}&to=${to}`)
    expect(found.map((row) => row.request_id).sort()).toEqual(wanted.map(({ requestId }) => requestId).sort())
    expect(found.length).toBeGreaterThan(100)
  })
})

test('includes requests answered a moment ago', async () => {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  await response.text()
  const rows = await askCsv('/settlements?model=sandbox-chat')
  expect(rows.map((row) => row.request_id)).toEqual([response.headers.get('x-request-id') ?? ''])
  expect((await askCsv('/ledger')).some((row) => row.request_id === rows[0]?.request_id)).toBe(true)
})

describe('an invalid request is refused before anything is sent', () => {
  test.each([
    ['/settlements?format=xml', 'format'],
    ['/settlements?from=yesterday', 'from'],
    ['/settlements?to=2026-02-30T00:00:00Z', 'to'],
    ['/settlements?limit=0', 'limit'],
    ['/settlements?limit=-1', 'limit'],
    ['/settlements?limit=99999999999', 'limit'],
    ['/settlements?cursor=nonsense', 'cursor'],
    ['/settlements?account=acc_1', 'account'],
    ['/ledger?key_id=key_1', 'key_id'],
    ['/ledger?cursor=WzEsMl0', 'cursor'],
  ])('%s', async (path, param) => {
    const response = await ask(path)
    const { error } = (await response.json()) as { error: { param: string } }
    expect([response.status, error.param]).toEqual([400, param])
  })

  test('and so is a request without the operator token', async () => {
    expect((await fetch(`${gateway.url}/operator/v1/exports/ledger`)).status).toBe(401)
  })
})

describe('docs/money/exports.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/money/exports.md'), 'utf8')

  test.each([
    ['Settlements', SETTLEMENT_EXPORT],
    ['Ledger', LEDGER_EXPORT],
  ] as const)('lists the columns of: %s', (heading, columns) => {
    const chapter = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
    const documented = [...chapter.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, kind]) => [
      name,
      kind,
    ])
    expect(documented).toEqual([
      ...columns.map(({ name, field }) => [name, kindOf(field)]),
      [CURSOR_COLUMN, 'text'],
    ])
  })
})

function nanoOf(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.')
  const nano = BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
  return amount.startsWith('-') ? -nano : nano
}
