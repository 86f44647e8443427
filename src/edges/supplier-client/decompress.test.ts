import { expect, test } from 'bun:test'
import { brotliCompressSync, deflateSync } from 'node:zlib'
import { MalformedMessage } from '../../wire/head-fields.ts'
import { MAX_REPLY_BYTES, readText } from '../../wire/read-text.ts'
import { decompress, UnpackBudget } from './decompress.ts'

const MEBIBYTE = 1024 * 1024
const PACKERS = {
  gzip: Bun.gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: Bun.zstdCompressSync,
}

function packed(
  text: string,
  { coding = 'gzip' as keyof typeof PACKERS, type = 'application/json', cut = 0 } = {},
) {
  const bytes = PACKERS[coding](text)
  const headers = { 'content-encoding': coding, 'content-type': type }
  return new Response(bytes.slice(0, bytes.length - cut), { headers })
}

const read = (response: Response, budget: UnpackBudget, maxBytes = MAX_REPLY_BYTES) =>
  readText(decompress(response, budget), maxBytes)

test.each(Object.keys(PACKERS) as (keyof typeof PACKERS)[])(
  'a reply compressed with %s is decompressed',
  async (coding) => {
    expect(await read(packed('words', { coding }), new UnpackBudget())).toBe('words')
    expect(await decompress(packed('words', { coding }), new UnpackBudget()).text()).toBe('words')
  },
)

test.each(Object.keys(PACKERS) as (keyof typeof PACKERS)[])(
  'a reply that ends in the middle of %s is malformed',
  async (coding) => {
    const cutOff = packed('some words that take some bytes', { coding, cut: 12 })
    await expect(read(cutOff, new UnpackBudget())).rejects.toBeInstanceOf(MalformedMessage)
  },
)

test('a reply that decompresses beyond the limit is refused, and its memory is freed', async () => {
  const budget = new UnpackBudget(3 * MEBIBYTE)
  expect(await read(packed('x'.repeat(4 * MEBIBYTE)), budget, 2 * MEBIBYTE)).toBeNull()
  expect(budget.take(3 * MEBIBYTE)).toBe(true)
})

test('replies that decompress beyond the memory budget fail, small ones beside them do not', async () => {
  const budget = new UnpackBudget(3 * MEBIBYTE)
  const bomb = () => read(packed('x'.repeat(2 * MEBIBYTE)), budget)
  const results = await Promise.allSettled([
    bomb(),
    bomb(),
    bomb(),
    read(packed('x'.repeat(200_000)), budget),
    read(packed('words'), budget),
  ])
  expect(results.slice(3).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  const failed = results.filter((result) => result.status === 'rejected')
  expect(failed.length).toBeGreaterThan(0)
  for (const { reason } of failed) expect(reason).toBeInstanceOf(MalformedMessage)
  expect(budget.take(3 * MEBIBYTE)).toBe(true)
})

test('an event stream is not buffered, so it may exceed the memory budget', async () => {
  const reader = decompress(
    packed('data: x\n\n'.repeat(MEBIBYTE), { type: 'text/event-stream' }),
    new UnpackBudget(MEBIBYTE),
  ).body?.getReader()
  let bytes = 0
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
    bytes += next.value.length
  expect(bytes).toBe(9 * MEBIBYTE)
})
