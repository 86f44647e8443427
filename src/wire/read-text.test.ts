import { afterAll, describe, expect, test } from 'bun:test'
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
