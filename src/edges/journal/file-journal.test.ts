import { afterEach, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_USAGE } from '../../conversation/usage.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { FileJournal, type JournalOptions } from './file-journal.ts'

let folder = ''
let stored: Settlement[] = []
let troubles: unknown[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-journal-'))
  stored = []
  troubles = []
})
afterEach(() => rmSync(folder, { recursive: true }))

function start(more: Partial<JournalOptions> = {}): Promise<FileJournal> {
  const persist = async (batch: readonly Settlement[]) => void stored.push(...batch)
  return FileJournal.start({
    folder,
    persist,
    isRefusal: (error) => error instanceof RangeError,
    fsync: 'never',
    onTrouble: (error) => void troubles.push(error),
    ...more,
  })
}

const identity = (requestId: string) =>
  ({
    requestId,
    accountId: 'a',
    keyId: 'k',
    model: 'm',
    clientFormat: 'chat-completion',
    stream: false,
    startedAtMs: 1,
  }) as const
const record = (id: string) => ({ ...identity(id), holdNano: 9n })
const settlement = (id: string): Settlement => ({
  ...identity(id),
  supplier: null,
  credentialId: null,
  supplierFormat: null,
  usage: NO_USAGE,
  provenance: 'supplier',
  price: null,
  amountNano: 7n,
  outcome: 'completed',
  attempts: [],
  firstByteMs: null,
  durationMs: 1,
})
const outcomes = () => stored.map(({ requestId, outcome, amountNano }) => [requestId, outcome, amountNano])
const refuse = () => Promise.reject(new Error('away'))

test('an orderly end stores everything and leaves no file', async () => {
  const journal = await start()
  journal.open(record('one'))
  await journal.settle(settlement('one'))
  await journal.close()
  expect(outcomes()).toEqual([['one', 'completed', 7n]])
  expect(readdirSync(folder)).toEqual([])
})

test('what the database did not take, a torn line and open admissions are taken over by the next start', async () => {
  const journal = await start({ persist: refuse })
  journal.open(record('open'))
  await journal.settle(settlement('done'))
  await journal.close()
  appendFileSync(join(folder, readdirSync(folder)[0] ?? ''), '{"type":"settled","settl')
  const next = await start()
  expect(outcomes()).toEqual([
    ['done', 'completed', 7n],
    ['open', 'interrupted', 0n],
  ])
  await next.close()
  expect(readdirSync(folder)).toEqual([])
})

test('a disk that takes nothing makes a settlement wait for the database, and fail only with it', async () => {
  const journal = await start({ segmentBytes: 1 })
  symlinkSync('/dev/full', join(folder, 'journal-00000002.jsonl'))
  await journal.settle(settlement('first'))
  await journal.settle(settlement('second'))
  expect(outcomes().map(([id]) => id)).toContain('second')
  expect(troubles.length).toBeGreaterThan(0)
  await journal.close()
})

test('a settlement the database does not take is set aside, and the rest is stored, also at the next start', async () => {
  const isBad = ({ requestId }: Settlement) => requestId === 'bad'
  const persist = async (batch: readonly Settlement[]) => {
    if (batch.some(isBad)) throw new RangeError('out of range')
    stored.push(...batch)
  }
  const journal = await start({ persist })
  await Promise.all(['one', 'bad', 'two'].map((id) => journal.settle(settlement(id))))
  await journal.close()
  expect(stored.map(({ requestId }) => requestId)).toEqual(['one', 'two'])
  expect(readdirSync(folder)).toEqual(['set-aside.jsonl'])
  expect(troubles).toHaveLength(1)
  await (await start({ persist })).close()
  expect(stored).toHaveLength(2)
})
