import { expect, test } from 'bun:test'
import type { Readings } from '../../edges/telemetry/metrics/readings.ts'
import { CrewMetrics } from './crew-metrics.ts'
import type { Order } from './orders.ts'
import { WorkerMetrics } from './worker-metrics.ts'

/** A worker whose messages arrive at once. */
function workerOf(crew: CrewMetrics, nodeId: string, readOwn: () => Readings) {
  const own = new WorkerMetrics((report) => {
    if (report.type === 'metrics') crew.note(nodeId, report.readings, report.round)
    else if (report.type === 'want-metrics') void crew.answer(nodeId, report.question)
  })
  own.provide(readOwn)
  crew.add({
    nodeId,
    order: (order: Order) => {
      if (order.type === 'read-metrics' || order.type === 'metrics') queueMicrotask(() => own.obey(order))
    },
  })
  return own
}

const readingsOf = (requests: number, streams: number): Readings => ({
  turnpike_http_requests_total: { 'status="200"': requests },
  turnpike_live_streams: { '': streams },
})

test('a worker gets the sum of all, and of those that have ended', async () => {
  const crew = new CrewMetrics()
  let requests = 1
  const first = workerOf(crew, 'node_1', () => readingsOf(requests, 1))
  workerOf(crew, 'node_2', () => readingsOf(10, 2))
  expect(await first.readAll()).toMatchObject(readingsOf(11, 3))
  requests = 5
  expect(await first.readAll()).toMatchObject(readingsOf(15, 3))
  crew.end('node_2')
  // Its counts stay, its streams are gone.
  expect(await first.readAll()).toMatchObject(readingsOf(15, 1))
  workerOf(crew, 'node_3', () => readingsOf(1, 0))
  expect(await first.readAll()).toMatchObject(readingsOf(16, 1))
})

test('what a worker reports when it ends is kept', async () => {
  const crew = new CrewMetrics()
  let requests = 1
  const leaving = workerOf(crew, 'node_1', () => readingsOf(requests, 1))
  await crew.read()
  requests = 7
  const last = leaving.lastReport()
  if (last.type === 'metrics') crew.note('node_1', last.readings, last.round)
  crew.end('node_1')
  expect(await crew.read()).toMatchObject({ turnpike_http_requests_total: { 'status="200"': 7 } })
})

test('a worker that does not answer is represented by what it said last, and one that ends is not waited for', async () => {
  const crew = new CrewMetrics()
  crew.add({ nodeId: 'node_1', order: () => {} })
  crew.note('node_1', readingsOf(3, 1), null)
  workerOf(crew, 'node_2', () => readingsOf(1, 0))
  const reading = crew.read()
  crew.end('node_1')
  expect(await reading).toMatchObject(readingsOf(4, 0))
})
