import { afterEach, beforeEach, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { SpanTransport } from './span-transport.ts'

const BYTES = new TextEncoder().encode('some spans')
const PATIENCE_MS = 60_000

let collector: Bun.Server<undefined>
let received: { readonly path: string; readonly body: string; readonly type: string | null }[] = []
let answers: (() => Response)[] = []

beforeEach(() => {
  received = []
  answers = []
  collector = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const bytes = await request.bytes()
      const isCompressed = request.headers.get('content-encoding') === 'gzip'
      const body = Buffer.from(isCompressed ? gunzipSync(bytes) : bytes).toString()
      received.push({ path: new URL(request.url).pathname, body, type: request.headers.get('content-type') })
      return answers.shift()?.() ?? new Response('taken')
    },
  })
})
afterEach(() => collector.stop(true))

function open(compression: 'none' | 'gzip' = 'none', url = `http://127.0.0.1:${collector.port}/v1/traces`) {
  const waits: number[] = []
  const target = { url, compression: compression as never, headers: async () => ({ 'content-type': 'x/y' }) }
  const sleep = async (delayMs: number) => void waits.push(delayMs)
  return { transport: new SpanTransport(target, { sleep, random: () => 0.5 }), waits }
}

test.each(['none', 'gzip'] as const)('a batch arrives with compression %s', async (compression) => {
  const { transport, waits } = open(compression)
  const response = await transport.send(BYTES, PATIENCE_MS)
  expect(response).toEqual({ status: 'success', data: new TextEncoder().encode('taken') })
  expect(received).toEqual([{ path: '/v1/traces', body: 'some spans', type: 'x/y' }])
  expect(waits).toEqual([])
})

test('a collector that is busy is asked again, when it says or later each time', async () => {
  answers = [
    () => new Response(null, { status: 503, headers: { 'retry-after': '7' } }),
    () => new Response(null, { status: 429 }),
    () => new Response(null, { status: 502 }),
  ]
  const { transport, waits } = open()
  expect(await transport.send(BYTES, PATIENCE_MS)).toMatchObject({ status: 'success' })
  expect(waits).toEqual([7_000, 1_500, 2_250])
})

test('a refused batch is not sent again, and a redirect is a refusal', async () => {
  answers = [
    () => new Response('no', { status: 400 }),
    () => new Response(null, { status: 307, headers: { location: '/elsewhere' } }),
  ]
  const { transport, waits } = open()
  expect(await transport.send(BYTES, PATIENCE_MS)).toMatchObject({ status: 'failure', error: { code: 400 } })
  expect(await transport.send(BYTES, PATIENCE_MS)).toMatchObject({ status: 'failure', error: { code: 307 } })
  expect(waits).toEqual([])
  expect(received).toHaveLength(2)
})

test('an address at which nobody listens is tried six times', async () => {
  const { transport, waits } = open()
  await collector.stop(true)
  expect(await transport.send(BYTES, PATIENCE_MS)).toMatchObject({ status: 'retryable' })
  expect(waits).toHaveLength(5)
})

test('there is no other try when its time would be over', async () => {
  answers = [() => new Response(null, { status: 503, headers: { 'retry-after': '61' } })]
  const { transport, waits } = open()
  expect(await transport.send(BYTES, PATIENCE_MS)).toMatchObject({ status: 'retryable' })
  expect(waits).toEqual([])
})
