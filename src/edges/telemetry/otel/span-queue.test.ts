import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { SpanKind } from '@opentelemetry/api'
import type { SpanBatch } from './span-encoder.ts'
import { SpanAttributes } from './span-facts.ts'
import { SpanQueue } from './span-queue.ts'

const TRACE = {
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  parentSpanId: null,
  state: null,
  recording: null,
}
const RULES = { delayMs: 5_000, timeoutMs: 30_000, maxItems: 10, maxBatch: 4 }

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function open() {
  const counts: number[] = []
  const ends: ((end: { code: number }) => void)[] = []
  const exporter = {
    export: (batch: SpanBatch, onEnd: (end: { code: number }) => void) => {
      counts.push(batch.count)
      ends.push(onEnd)
    },
    shutdown: async () => {},
  }
  const queue = new SpanQueue({ exporter, resource: new SpanAttributes(), rules: RULES })
  const add = (spans: number, text = '') => {
    for (let count = 0; count < spans; count += 1)
      queue.add(TRACE, {
        spanId: '3'.repeat(16),
        name: 'span',
        kind: SpanKind.CLIENT,
        startMs: 1,
        endMs: 2,
        attributes: SpanAttributes.from({ text }),
        parent: null,
      })
  }
  /** Ends the oldest export that is under way. */
  const end = async () => {
    ends.shift()?.({ code: 0 })
    await settle()
  }
  return { queue, counts, add, end }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await null
}

test('a full batch is sent at once, others after a while, one at a time', async () => {
  const { counts, add, end } = open()
  add(5)
  expect(counts).toEqual([4])
  jest.advanceTimersByTime(RULES.delayMs)
  expect(counts).toEqual([4])
  await end()
  expect(counts).toEqual([4, 1])
})

test('what is beyond the bounds is dropped', async () => {
  const { counts, add, end } = open()
  add(30)
  await end()
  await end()
  jest.advanceTimersByTime(RULES.delayMs)
  await end()
  expect(counts).toEqual([4, 4, 2])
  const large = open()
  large.add(8, 'x'.repeat(20 * 1024 * 1024))
  await large.end()
  expect(large.counts).toEqual([4])
})

test('an export that never ends gives way to the next', async () => {
  const { counts, add } = open()
  add(8)
  jest.advanceTimersByTime(RULES.timeoutMs)
  await settle()
  expect(counts).toEqual([4, 4])
})

test('the rest is sent before the end', async () => {
  const { queue, counts, add, end } = open()
  add(2)
  const stopped = queue.shutdown()
  await end()
  await stopped
  expect(counts).toEqual([2])
})
