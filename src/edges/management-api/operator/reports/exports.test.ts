import { expect, test } from 'bun:test'
import type { LedgerOperations, Placed } from '../../../../manage/ports/ledger.ts'
import type { Exchange, Reply } from '../../../../serve/ports/exchange.ts'
import type { LedgerEntry } from '../../../../vocabulary/ledger.ts'
import { bind } from '../../endpoint.ts'
import { exportEndpoints } from './exports.ts'

/** An endless ledger, and how many pages were read. */
function endlessLedger() {
  const seen = { pages: 0, isClosed: false }
  const entry: LedgerEntry = {
    kind: 'payment',
    id: 'pay_1',
    accountId: 'acc_1',
    amountNano: 1n,
    requestId: null,
    reference: null,
    note: null,
    atMs: 0,
  }
  const operations: Pick<LedgerOperations, 'exportLedger'> = {
    exportLedger: async function* (): AsyncGenerator<readonly Placed<LedgerEntry>[]> {
      try {
        for (;;) {
          seen.pages += 1
          if (seen.pages === 5) throw new Error('the database went away')
          yield [{ item: entry, cursor: 'c' }]
        }
      } finally {
        seen.isClosed = true
      }
    },
  }
  return { seen, operations: operations as LedgerOperations }
}

async function openExport(operations: LedgerOperations) {
  const [, ledger] = exportEndpoints
  if (ledger === undefined) throw new Error('The ledger can be exported.')
  const exchange = { query: new URLSearchParams('format=jsonl') }
  const reply = (await bind(ledger, operations, '').handle(exchange as unknown as Exchange)) as Reply
  return (reply.body as ReadableStream<Uint8Array>).getReader()
}

test('an export reads the next page when the client has read the previous one, and stops when it disconnects', async () => {
  const { seen, operations } = endlessLedger()
  const reader = await openExport(operations)
  expect(seen.pages).toBe(1)
  await reader.read()
  expect(seen.pages).toBe(1)
  await reader.read()
  expect(seen.pages).toBe(2)
  await reader.cancel()
  expect(seen).toEqual({ pages: 2, isClosed: true })
})

test('an export that fails is cut off, so that it does not look complete', async () => {
  const reader = await openExport(endlessLedger().operations)
  for (let page = 1; page < 5; page++) expect((await reader.read()).done).toBe(false)
  await expect(reader.read()).rejects.toThrow('the database went away')
})
