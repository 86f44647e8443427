import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { GatheredBytes, GrowingBytes } from './growing-bytes.ts'

const kinds = { GrowingBytes, GatheredBytes }

test.each(Object.entries(kinds))('%s return all bytes in order, and are empty afterwards', (_, Kind) => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 9_000 }),
    fc.nat({ max: 40_000 }).map((size) => new Uint8Array(size)),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const growing = new Kind()
      for (const piece of pieces) growing.add(Buffer.from(piece))
      const all = Buffer.concat(pieces)
      expect(growing.length).toBe(all.length)
      expect(growing.take().equals(all)).toBe(true)
      expect([growing.length, growing.take().length]).toEqual([0, 0])
    }),
  )
})

test.each(Object.entries(kinds))('%s do not copy a single piece', (_, Kind) => {
  const piece = Buffer.from('whole')
  const growing = new Kind()
  growing.add(piece)
  expect(growing.take().buffer).toBe(piece.buffer)
})

test.each(Object.entries(kinds))('%s never write to buffers they received or returned', (_, Kind) => {
  const growing = new Kind()
  const first = Buffer.from('abcdef').subarray(0, 3)
  growing.add(first)
  growing.add(Buffer.from('xyz'))
  const all = growing.take()
  growing.add(Buffer.from('1'))
  growing.add(Buffer.from('2'))
  expect([all.toString(), Buffer.from(first.buffer, first.byteOffset, 6).toString()]).toEqual([
    'abcxyz',
    'abcdef',
  ])
})

test.each(Object.entries(kinds))(
  '%s use little more memory than their bytes, even with tiny pieces',
  (_, Kind) => {
    const growing = new Kind()
    const piece = Buffer.from('x')
    for (let index = 0; index < 100_000; index += 1) growing.add(piece)
    expect(growing.take().buffer.byteLength).toBeLessThan(300_000)
  },
)

test('GatheredBytes hand out all bytes once, in memory that the next ones use again', () => {
  const piece = fc.uint8Array({ minLength: 1, maxLength: 40_000 })
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 5 }), { maxLength: 5 }), (bodies) => {
      const gathered = new GatheredBytes()
      for (const pieces of bodies) {
        for (const each of pieces) gathered.add(Buffer.from(each))
        const all = Buffer.concat(pieces)
        expect(gathered.use((bytes) => Buffer.from(bytes).equals(all))).toBe(true)
        expect([gathered.length, gathered.use(({ length }) => length)]).toEqual([0, 0])
      }
    }),
  )
})

test('GatheredBytes free what they handed out, and nothing that others use', () => {
  const shared = Buffer.allocUnsafeSlow(100_000)
  const [own, another] = [Buffer.allocUnsafeSlow(50_000), Buffer.allocUnsafeSlow(50_000)]
  const gathered = new GatheredBytes()
  for (const piece of [own, another, shared.subarray(0, 50_000)]) gathered.add(piece)
  expect(gathered.use(({ length }) => length)).toBe(150_000)
  expect([own, another, shared].map(({ byteLength }) => byteLength)).toEqual([0, 0, 100_000])
})

test('GrowingBytes drop the first bytes, and never write to buffers they returned', () => {
  const step = fc.oneof(fc.uint8Array({ maxLength: 9_000 }), fc.nat({ max: 12_000 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const growing = new GrowingBytes()
      const handedOut: { readonly given: Buffer; readonly copy: Buffer }[] = []
      let expected = Buffer.alloc(0)
      for (const step of steps) {
        if (typeof step === 'number') {
          growing.drop(step)
          expected = expected.subarray(step)
        } else {
          growing.add(Buffer.from(step))
          expected = Buffer.concat([expected, step])
        }
        const given = growing.peek()
        expect(given.equals(expected)).toBe(true)
        handedOut.push({ given, copy: Buffer.from(given) })
      }
      for (const { given, copy } of handedOut) expect(given.equals(copy)).toBe(true)
    }),
  )
})

test('GrowingBytes allocate little more than they hold, even with a peek after every byte', () => {
  const allocated = (count: number) => {
    const growing = new GrowingBytes()
    const capacities = new Set<number>()
    for (let turn = 0; turn < count; turn += 1) {
      growing.add(Buffer.from('x'))
      growing.peek()
      capacities.add(growing.capacity)
    }
    expect(growing.capacity).toBeLessThanOrEqual(Math.max(4_096, count * 2))
    return [...capacities].reduce((sum, each) => sum + each, 0)
  }
  expect(allocated(64 * 1024)).toBeLessThan(64 * 1024 * 4)
  expect(allocated(64 * 1024) / allocated(16 * 1024)).toBeLessThan(6)
})

test('GrowingBytes copy the small rest of a large piece', () => {
  const growing = new GrowingBytes()
  growing.add(Buffer.alloc(500_000))
  growing.drop(499_000)
  expect([growing.length, growing.capacity]).toEqual([1_000, 1_000])
})
