import { afterAll, describe, expect, test } from 'bun:test'
import { SlowAnswer } from './http-answer.ts'
import { readText } from './read-text.ts'

const LETTERS = 'ä'.repeat(1_000)

/** Answers with as many letters as asked for: with a length, in pieces without one, or compressed. */
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  fetch: ({ url }) => {
    const { pathname } = new URL(url)
    if (pathname === '/whole') return new Response(LETTERS)
    if (pathname === '/empty') return new Response(null, { status: 204 })
    if (pathname === '/endless') return new Response(endless())
    const body = new TextEncoder().encode(LETTERS)
    if (pathname === '/compressed') {
      return new Response(Bun.gzipSync(body), { headers: { 'content-encoding': 'gzip' } })
    }
    return new Response(new Blob([body]).stream())
  },
})
afterAll(() => server.stop(true))

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })
}

const read = async (path: string, mostBytes: number) =>
  readText(await fetch(`${server.url.origin}${path}`), mostBytes)

describe.each(['/whole', '/pieces', '/compressed'])('%s', (path) => {
  test('is read when it fits', async () => expect(await read(path, 2_000)).toBe(LETTERS))
  test('is not when it is longer', async () => expect(await read(path, 1_999)).toBeNull())
})

test('one without end is given up', async () => expect(await read('/endless', 1_000_000)).toBeNull())

test('none is an empty text', async () => expect(await read('/empty', 10)).toBe(''))

const PACE = { windowMs: 40, minBytes: 20 }

/** A body of these pieces, each after so many milliseconds; endless when the last is to be repeated. */
function dripping(piece: string, { everyMs = 2, times = Number.POSITIVE_INFINITY, end = '' } = {}) {
  let sent = 0
  let timer: Timer | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if (sent++ < times) controller.enqueue(Buffer.from(piece))
        else {
          clearInterval(timer)
          controller.enqueue(Buffer.from(end))
          controller.close()
        }
      }, everyMs)
    },
    cancel: () => clearInterval(timer),
  })
  return new Response(body)
}

test('a body that comes by drops is given up', async () => {
  await expect(readText(dripping('x', { everyMs: 10 }), 1_000, PACE)).rejects.toBeInstanceOf(SlowAnswer)
})

test('a body that makes progress is read, however long it takes', async () => {
  const text = await readText(dripping('x'.repeat(40), { everyMs: 10, times: 12 }), 1_000, PACE)
  expect(text).toBe('x'.repeat(480))
})

test('blank bytes before the text are no drops', async () => {
  const text = await readText(dripping('\n', { everyMs: 10, times: 12, end: '{}' }), 1_000, PACE)
  expect(text?.trim()).toBe('{}')
})

test('a body may be as long as allowed and no longer, whatever it says of its length', async () => {
  const limit = 1_000
  for (const pieces of [['x'.repeat(1_000)], Array.from({ length: 1_000 }, () => 'x')]) {
    const stream = new Blob(pieces).stream()
    expect(await readText(new Response(stream), limit)).toHaveLength(1_000)
  }
  expect(await readText(new Response('x'.repeat(1_001)), limit)).toBeNull()
  const lying = { headers: { 'content-length': '2' } }
  expect(await readText(new Response(new Blob(['x'.repeat(1_001)]).stream(), lying), limit)).toBeNull()
  expect(await readText(new Response('ok', { headers: { 'content-length': '1001' } }), limit)).toBeNull()
})

test('many small pieces and large ones are put together in their order', async () => {
  const pieces = Array.from({ length: 3_000 }, (_, index) =>
    `${index},`.repeat(index % 500 === 0 ? 2_000 : 1),
  )
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece))
      controller.close()
    },
  })
  expect(await readText(new Response(body), 10_000_000)).toBe(pieces.join(''))
})
