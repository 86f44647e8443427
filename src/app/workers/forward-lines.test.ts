import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { forwardLines } from './forward-lines.ts'

async function forwarded(pieces: readonly Uint8Array[], slot = 3): Promise<string[]> {
  const printed = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const texts: string[] = []
  await forwardLines(printed, slot, (lines) => texts.push(Buffer.from(lines).toString()))
  return texts
}

const line = fc.oneof(
  fc
    .record({ level: fc.nat(), msg: fc.string({ unit: 'grapheme' }) })
    .map((fields) => JSON.stringify(fields)),
  fc.constantFrom('', 'panic: out of memory', '  at main.ts:1', '{', '\u00fcber alles'),
)

function marked(text: string): string {
  if (text === '') return ''
  return text.startsWith('{"level":') ? text : `worker 3: ${text}`
}

test('forwards log lines as they are and others with their slot, however they arrive', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.infiniteStream(fc.integer({ min: 1, max: 30 })),
      async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
        const pieces: Uint8Array[] = []
        for (let start = 0; start < bytes.length; ) {
          const { value } = cuts.next()
          pieces.push(bytes.subarray(start, start + value))
          start += value
        }
        const texts = await forwarded(pieces)
        for (const text of texts) expect(text).toEndWith('\n')
        expect(texts.join('')).toBe(lines.map((text) => `${marked(text)}\n`).join(''))
      },
    ),
  )
})

test('a Unicode line separator inside a message does not end its line', async () => {
  const message = '{"level":30,"msg":"one\u2028two\rthree"}'
  expect(await forwarded([Buffer.from(`${message}\n\rlast\n`)])).toEqual([`${message}\nworker 3: \rlast\n`])
})

test('forwards a last line without a line end', async () => {
  expect(await forwarded([Buffer.from('{"level":30}\nkilled')])).toEqual([
    '{"level":30}\n',
    'worker 3: killed\n',
  ])
})
