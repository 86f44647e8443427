import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { SegmentFiles } from './segment-files.ts'
import { SettlementQueue } from './settlement-queue.ts'

let folder = ''
let queue: SettlementQueue
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-queue-'))
  const files = new SegmentFiles(folder, { isSynced: false })
  queue = new SettlementQueue(files, { batch: 512, maxInMemory: 10_000, onDamaged: () => undefined })
})
afterEach(() => rmSync(folder, { recursive: true }))

const place = { segment: 1, offset: 0, bytes: 1 }
const settlementOf = (keyId: string) => ({ keyId, startedAtMs: 1, durationMs: 1 }) as Settlement

/** How many settlements of so many keys in turn wait when a batch is due. */
function fill(keys: number): number {
  while (!queue.isBatchDue) {
    queue.add([settlementOf(`key_${queue.count % keys}`)], place)
  }
  return queue.count
}

test.each([
  [1, 128],
  [2, 160],
  [10, 416],
  [13, 512],
  [200, 512],
])('of %i keys, a batch is due when %i settlements wait', (keys, count) => {
  expect(fill(keys)).toBe(count)
})

test('the keys of what is stored do not count any more', () => {
  fill(200)
  queue.next()?.done()
  expect(queue.count).toBe(0)
  expect(fill(1)).toBe(128)
})

test('those of what still waits do', () => {
  fill(1)
  const batch = queue.next()
  queue.add([settlementOf('another')], place)
  batch?.done()
  expect(queue.isBatchDue).toBe(false)
  expect(fill(1)).toBe(160)
})
