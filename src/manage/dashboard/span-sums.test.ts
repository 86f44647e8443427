import { expect, test } from 'bun:test'
import { SPAN_MS } from '../../rules/ledger/aggregate.ts'
import { SpanReader } from './span-sums.ts'

const HOUR_MS = SPAN_MS.hour
const NOW_MS = 1_000 * HOUR_MS + 30 * 60_000
const STARTS_MS = [998 * HOUR_MS, 999 * HOUR_MS, 1_000 * HOUR_MS]

test('hours that are over are read once in five minutes, the present one each time', async () => {
  const read: number[] = []
  let nowMs = NOW_MS
  const reader = new SpanReader({
    clock: { nowMs: () => nowMs },
    storage: {
      listUsage: async ({ filter }) => {
        read.push(filter.fromMs ?? 0)
        return { data: [], nextCursor: null }
      },
      totalRefusals: async () => ({ data: [], nextCursor: null }),
    },
  })
  await reader.read('hour', STARTS_MS)
  expect(read.splice(0)).toEqual(STARTS_MS)
  await reader.read('hour', STARTS_MS)
  expect(read.splice(0)).toEqual([1_000 * HOUR_MS])
  nowMs += 5 * 60_000
  await reader.read('hour', STARTS_MS)
  expect(read).toEqual(STARTS_MS)
})

test('a read that failed is tried again', async () => {
  let isDown = true
  const reader = new SpanReader({
    clock: { nowMs: () => NOW_MS },
    storage: {
      listUsage: async () => {
        if (isDown) throw new Error('no database')
        return { data: [], nextCursor: null }
      },
      totalRefusals: async () => ({ data: [], nextCursor: null }),
    },
  })
  expect(reader.read('hour', [998 * HOUR_MS])).rejects.toThrow('no database')
  isDown = false
  expect(await reader.read('hour', [998 * HOUR_MS])).toHaveLength(1)
})
