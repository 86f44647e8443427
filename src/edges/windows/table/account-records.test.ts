import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { AccountRecords, isInUse } from './account-records.ts'
import { RecordTable } from './records.ts'
import { createTableFile } from './table-file.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-records-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const GENERATION = 7
const KEPT_MS = 10
const TODAY = 20_000
const NEVER = { startDay: TODAY, spentNano: 5n }
const totalsOf = (keyId: string) => ({
  keyId,
  totals: { daily: NEVER, weekly: NEVER, monthly: NEVER, forever: NEVER },
})

/** A few accounts in a table so small that it drops records all the time. Whatever is not held is dropped. */
function openAccounts(count: number) {
  let nowMs = 0
  const file = createTableFile(folder, 16)
  const table: RecordTable = new RecordTable(file, 1, (index) =>
    isInUse(table, index, { nowMs, sinceMs: nowMs - KEPT_MS }),
  )
  const accounts = Array.from({ length: count }, (_, id) => new AccountRecords(table, 1, `account ${id}`))
  const step = <Answer>(account: number, work: (records: AccountRecords) => Answer): Answer => {
    nowMs += 2
    const records = accounts[account]
    if (records === undefined || !table.tryLock()) throw new Error('no such account, or no lock')
    try {
      records.begin(nowMs)
      return work(records)
    } finally {
      table.unlock()
    }
  }
  return { step, close: () => file.close() }
}

const change = fc.record({
  account: fc.nat({ max: 3 }),
  key: fc.nat({ max: 3 }),
  request: fc.nat({ max: 9 }),
  amount: fc.nat({ max: 1_000 }),
  isEnd: fc.boolean(),
})

// Workers need Linux.
describe.skipIf(process.platform !== 'linux')('the money of accounts in a table that is always full', () => {
  test('is what the open holds are, for each account and key', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const { step, close } = openAccounts(4)
        const held = new Map<string, number>()
        const sumOf = (prefix: string) =>
          [...held].filter(([id]) => id.startsWith(prefix)).reduce((sum, [, amount]) => sum + amount, 0)
        for (const { account, key, request, amount, isEnd } of changes) {
          const requestId = `${account} ${key} ${request}`
          step(account, (records) => {
            if (isEnd)
              records.assert(
                [],
                [...held.keys()].filter((id) => id !== requestId),
              )
            else records.place({ requestId, keyId: `${key}`, amountNano: BigInt(amount) })
          })
          if (isEnd) held.delete(requestId)
          else held.set(requestId, amount)
          const found = step(account, (records) => [records.heldNano, records.heldOn(`${key}`)])
          expect(found).toEqual([BigInt(sumOf(`${account} `)), BigInt(sumOf(`${account} ${key} `))])
        }
        close()
      }),
    )
  })

  test('is decided and counted by the same totals of a key', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 50, maxLength: 200 }), (changes) => {
        const { step, close } = openAccounts(4)
        for (const { account, key, isEnd } of changes) {
          const keyId = `${key}`
          const update = { generation: '', stored: [], balance: null, keys: [totalsOf(keyId)], isLoad: true }
          step(account, (records) => {
            if (isEnd || !records.knowsKey(keyId)) records.learn(update, GENERATION, TODAY)
          })
          step(account, (records) => {
            if (!records.knowsKey(keyId)) return
            records.place({ requestId: keyId, keyId, amountNano: 1n })
            expect(records.totalsOf(keyId)).toEqual(totalsOf(keyId))
            records.assert([], [])
          })
        }
        close()
      }),
    )
  })
})
