import { describe, expect, test } from 'bun:test'
import { NO_USAGE } from '../../conversation/usage.ts'
import type { AdmissionRecord } from '../../vocabulary/settlement.ts'
import { A_PRICE, aSettlement } from '../../vocabulary/testing/specimens.ts'
import { decodeJournalLine, encodeJournalLine, type JournalLine, settlementsOf } from './journal-line.ts'

const record: AdmissionRecord = {
  requestId: 'req_1',
  accountId: 'acc_1',
  keyId: 'key_1',
  model: 'model-1',
  clientFormat: 'chat-completion',
  stream: true,
  holdNano: 2n ** 62n,
  startedAtMs: 5,
}

const SPECIAL = aSettlement({
  usage: { ...NO_USAGE, cacheWrite: 9, details: { cacheWrite1h: 4, webSearches: 1, serviceTier: 'flex' } },
  price: {
    ...A_PRICE,
    webSearchNano: 2n ** 60n,
    variants: [{ when: { promptPartAbove: 5 }, inputNanoPerMillion: 2n ** 61n }],
  },
  markupBasisPoints: -250,
  costRates: { ...A_PRICE, imageRates: [{ size: null, quality: 'high', imageNano: 1n }] },
  costNano: 2n ** 61n + 1n,
  notes: ['implausible_usage', 'cut_by_balance'],
  session: 'session-1',
  agent: 'reviewer',
  parentAgent: 'planner',
})

const SESSION_IDS = { session: 'session-1', agent: 'reviewer', parentAgent: null }

describe('a line', () => {
  test.each<readonly [string, JournalLine]>([
    ['an admission', { type: 'open', record }],
    ['an admission with a session', { type: 'open', record: { ...record, sessionIds: SESSION_IDS } }],
    ['a settlement', { type: 'settled', settlement: aSettlement({ amountNano: 2n ** 62n + 1n }) }],
    ['a settlement without price', { type: 'settled', settlement: aSettlement({ price: null }) }],
    ['a settlement with everything', { type: 'settled', settlement: SPECIAL }],
  ])('keeps %s exactly', (_what, line) => {
    const text = encodeJournalLine(line)
    expect(text).not.toContain('\n')
    expect(decodeJournalLine(text)).toEqual(line)
  })

  test('of an ordinary settlement has nothing more than in earlier versions, whose cost was the amount', () => {
    const ordinary = aSettlement({ amountNano: 7n, costNano: 7n })
    const text = encodeJournalLine({ type: 'settled', settlement: ordinary })
    const names = Object.keys(JSON.parse(text).settlement)
    const absent = ['costRates', 'costNano', 'markupBasisPoints', 'notes', 'session', 'agent', 'parentAgent']
    for (const name of absent) expect(names).not.toContain(name)
    expect(decodeJournalLine(text)).toEqual({ type: 'settled', settlement: ordinary })
  })

  test('keeps text that looks like an amount as text', () => {
    const line: JournalLine = { type: 'open', record: { ...record, model: 'nano:5' } }
    expect(decodeJournalLine(encodeJournalLine(line))).toEqual(line)
  })

  test('cut short at any byte is no line', () => {
    const text = encodeJournalLine({ type: 'open', record })
    for (let length = 0; length < text.length; length += 1) {
      expect(decodeJournalLine(text.slice(0, length))).toBeNull()
    }
  })

  test.each([
    '{}',
    '[]',
    'null',
    '{"type":"open","record":{}}',
    '{"type":"settled","settlement":{"amountNano":"1"}}',
    '{"type":"other","settlement":{"requestId":"r","amountNano":"1","price":null}}',
  ])('%s is no line', (text) => {
    expect(decodeJournalLine(text)).toBeNull()
  })
})

describe('what a journal says after a crash', () => {
  const settled = aSettlement({ requestId: 'req_2' })

  test('a settled request is its settlement', () => {
    const lines: JournalLine[] = [
      { type: 'open', record: { ...record, requestId: 'req_2' } },
      { type: 'settled', settlement: settled },
    ]
    expect([...settlementsOf(lines)]).toEqual([settled])
  })

  test('settlements come before whatever was interrupted, so that an admission written late counts for nothing', () => {
    const lines: JournalLine[] = [
      { type: 'settled', settlement: aSettlement({ requestId: 'req_1' }) },
      { type: 'open', record },
      { type: 'settled', settlement: settled },
    ]
    const told = [...settlementsOf(lines)].map(({ requestId, outcome }) => [requestId, outcome])
    expect(told).toEqual([
      ['req_1', 'completed'],
      ['req_2', 'completed'],
      ['req_1', 'interrupted'],
    ])
  })

  test('a request without its end was interrupted and costs nothing', () => {
    const [interrupted, ...others] = [...settlementsOf([{ type: 'open', record }])]
    expect(others).toEqual([])
    expect(interrupted).toMatchObject({
      requestId: 'req_1',
      outcome: 'interrupted',
      provenance: 'estimated',
      usage: NO_USAGE,
      amountNano: 0n,
      price: null,
      startedAtMs: 5,
      session: null,
    })
  })

  test('a request without its end keeps the session that the client named', () => {
    const [interrupted] = settlementsOf([{ type: 'open', record: { ...record, sessionIds: SESSION_IDS } }])
    expect(interrupted).toMatchObject(SESSION_IDS)
  })
})
