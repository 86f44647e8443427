import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LineReader, LineWriter } from './lines.ts'

const lines = fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' ')))

test('delivers the same lines in order, however they are split', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.array(fc.nat(40)), async (sent, portions) => {
      const received: string[] = []
      const reader = new LineReader()
      let turn = 0
      const writer = new LineWriter({
        write: (given) => {
          const bytes = typeof given === 'string' ? Buffer.from(given) : given
          const taken = Math.min(bytes.length, portions[turn] ?? bytes.length)
          turn += 1
          received.push(...reader.push(bytes.subarray(0, taken)))
          return taken
        },
      })
      for (const line of sent) writer.add(line)
      await new Promise((resolve) => setImmediate(resolve))
      for (let round = 0; round <= portions.length + 1; round += 1) writer.resume()
      const whole = sent.map((line) => Buffer.from(line).toString())
      expect(received).toEqual(whole)
    }),
  )
})

test('sends the lines of one turn in one write', async () => {
  const writes: unknown[] = []
  const writer = new LineWriter({
    write: (given) => {
      writes.push(given)
      return given.length
    },
  })
  writer.add('one')
  writer.add('two')
  await new Promise((resolve) => setImmediate(resolve))
  expect(writes).toEqual(['one\ntwo\n'])
})

test('queues lines while the other end is slow', async () => {
  let written = ''
  let isSlow = true
  const writer = new LineWriter({
    write: (given) => {
      const taken = isSlow ? 2 : given.length
      written += Buffer.from(given).subarray(0, taken).toString()
      return taken
    },
  })
  writer.add('first')
  await new Promise((resolve) => setImmediate(resolve))
  writer.add('second')
  await new Promise((resolve) => setImmediate(resolve))
  expect(written).toBe('fi')
  isSlow = false
  writer.resume()
  expect(written).toBe('first\nsecond\n')
})
