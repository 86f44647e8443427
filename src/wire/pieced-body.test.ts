import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { PiecedBody } from './pieced-body.ts'

const read = (body: PiecedBody) => new Response(body.open()).bytes()

test('text, bytes and Base64 come in their order, as long as was said, as often as wanted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 50 }),
      fc.string({ unit: 'grapheme' }),
      async (bytes, text) => {
        const content = new Blob([bytes as Uint8Array<ArrayBuffer>])
        const body = new PiecedBody('text/plain', [text, content, '|', { base64Of: content }])
        const expected = Buffer.concat([
          Buffer.from(text),
          bytes,
          Buffer.from(`|${Buffer.from(bytes).toString('base64')}`),
        ])
        for (const _time of [1, 2]) expect(Buffer.from(await read(body))).toEqual(expected)
        expect(body.bytes).toBe(expected.length)
      },
    ),
    { numRuns: 50 },
  )
})

test('Base64 of many portions is the Base64 of the whole', async () => {
  const bytes = new Uint8Array(500_000).map((_, index) => index % 251)
  const body = new PiecedBody('text/plain', [{ base64Of: new Blob([bytes]) }])
  expect(Buffer.from(await read(body)).toString()).toBe(Buffer.from(bytes).toString('base64'))
})
