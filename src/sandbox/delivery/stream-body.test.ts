import { describe, expect, test } from 'bun:test'
import type { Frame } from '../faces/face.ts'
import { type Fault, planFaults } from '../faults.ts'
import { openBody, splitBytes } from './stream-body.ts'
import { nextTurn } from './wait.ts'

const FRAMES: readonly Frame[] = [
  { part: 'content', text: 'a' },
  { part: 'content', text: 'b' },
  { part: 'finish', text: 'c' },
  { part: 'usage', text: 'd' },
  { part: 'end', text: 'e' },
]

describe('openBody', () => {
  test('makes a frame only when the reader asks for one', async () => {
    let made = 0
    function* endlessFrames(): Generator<Frame> {
      for (;;) {
        made += 1
        yield { part: 'content', text: `${made}` }
      }
    }
    const reader = open(endlessFrames(), []).body.getReader()
    expect(made).toBe(0)
    await reader.read()
    await reader.read()
    // A body that ran ahead of its reader would make one more frame with every turn.
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect(made).toBe(2)
    await reader.cancel()
  })

  test('stops making frames when the reader leaves', async () => {
    let isClosed = false
    function* watchedFrames(): Generator<Frame> {
      try {
        yield* FRAMES
      } finally {
        isClosed = true
      }
    }
    const { body, ends } = open(watchedFrames(), [])
    const reader = body.getReader()
    await reader.read()
    await reader.cancel()
    expect(isClosed).toBe(true)
    expect(ends()).toBe(0)
  })

  test('waits only where the plan says, and as long as it says', async () => {
    const plain = open(FRAMES, [])
    expect(await new Response(plain.body).text()).toBe('abcde')
    expect(plain.waits).toEqual([])
    expect(plain.ends()).toBe(1)
    const slow = open(FRAMES, [
      { type: 'latency', beforeFirstByteMs: 9, betweenPiecesMs: 5 },
      { type: 'late-usage', afterMs: 100 },
    ])
    await new Response(slow.body).text()
    expect(slow.waits).toEqual([5, 5, 105, 5])
  })

  const ENDINGS: [fault: Fault, text: string][] = [
    [{ type: 'truncated-end' }, 'ab'],
    [{ type: 'error-in-stream', afterPieces: 1 }, 'a!1'],
    [{ type: 'error-in-stream', afterPieces: 0 }, '!0'],
    [{ type: 'error-in-stream', afterPieces: 99 }, 'abcde'],
  ]
  for (const [fault, text] of ENDINGS) {
    test(`ends with ${JSON.stringify(fault)}`, async () => {
      expect(await new Response(open(FRAMES, [fault]).body).text()).toBe(text)
    })
  }

  test('fails when it is to be cut, even after the last frame', async () => {
    for (const [afterPieces, sent] of [
      [2, 2],
      [99, 5],
    ] as const) {
      const { body, ends } = open(FRAMES, [{ type: 'cut', afterPieces }])
      const reader = body.getReader()
      for (let read = 0; read < sent; read++) expect((await reader.read()).done).toBe(false)
      await expect(reader.read()).rejects.toThrow('on purpose')
      expect(ends()).toBe(0)
    }
  })
})

function open(frames: Iterable<Frame>, faults: readonly Fault[]) {
  const waits: number[] = []
  let ended = 0
  const body = openBody(frames, {
    plan: planFaults(faults),
    signal: new AbortController().signal,
    wait: async (ms) => {
      waits.push(ms)
    },
    writeErrorFrame: (sentFrames) => `!${sentFrames}`,
    onEnd: () => {
      ended += 1
    },
  })
  return { body, waits, ends: () => ended }
}

describe('splitBytes', () => {
  const bytes = new TextEncoder().encode('aé😀b')

  test('leaves bytes whole without a fault', () => {
    expect([...splitBytes(bytes, null)]).toEqual([bytes])
  })

  test('cuts at every byte', () => {
    const chunks = [...splitBytes(bytes, { type: 'split-utf8', at: 'every-byte' })]
    expect(chunks.map((chunk) => chunk.length)).toEqual(Array(bytes.length).fill(1))
    expect(Buffer.concat(chunks).toString()).toBe('aé😀b')
  })

  test('cuts only inside characters of several bytes', () => {
    const chunks = [...splitBytes(bytes, { type: 'split-utf8', at: 'inside-characters' })]
    expect(chunks.map((chunk) => chunk.length)).toEqual([2, 2, 1, 1, 2])
    expect(Buffer.concat(chunks).toString()).toBe('aé😀b')
  })
})
