import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Frame, FrameDecoder } from './frame-decoder.ts'
import { writeChunk, writeException, writeFrame } from './testing/write-frame.ts'

/** Frames of AWS's own test suite for the framing. */
const PUBLISHED: readonly [name: string, hex: string, frame: Frame][] = [
  ['an empty message', '000000100000000005c248eb7d98c8ff', { headers: new Map(), payload: Buffer.from('') }],
  [
    'a payload without headers',
    '0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936',
    { headers: new Map(), payload: Buffer.from("{'foo':'bar'}") },
  ],
  [
    'a payload and a text header',
    '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e' +
      '7b27666f6f273a27626172277d8d9c08b1',
    {
      headers: new Map([['content-type', 'application/json']]),
      payload: Buffer.from("{'foo':'bar'}"),
    },
  ],
  [
    'a number header, which is passed over',
    '0000002d0000001041c424b80a6576656e742d74797065040000a00c7b27666f6f273a27626172277d36f480a0',
    { headers: new Map(), payload: Buffer.from("{'foo':'bar'}") },
  ],
]

function decode(portions: Iterable<Uint8Array>): Frame[] {
  const decoder = new FrameDecoder()
  const frames = [...portions].flatMap((bytes) => decoder.push(bytes))
  decoder.end()
  return frames.map(({ headers, payload }) => ({ headers, payload: Buffer.from(payload) }))
}

const STREAM = Buffer.concat([
  writeChunk({ type: 'message_start', message: { id: 'msg_1' } }),
  writeFrame({}, ''),
  writeChunk({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Grüße 👋' } }),
  writeException('throttlingException', 'Too many tokens.'),
])

describe('frames', () => {
  for (const [name, hex, frame] of PUBLISHED)
    test(`published: ${name}`, () => expect(decode([Buffer.from(hex, 'hex')])).toEqual([frame]))

  test('have headers of every kind, of which text is kept', () => {
    const kinds: readonly [kind: number, value: string][] = [
      [0, ''],
      [1, ''],
      [2, '7f'],
      [3, '7fff'],
      [4, '7fffffff'],
      [5, '7fffffffffffffff'],
      [6, '0003aabbcc'],
      [7, '0002c3bc'],
      [8, '0000018bcfe56800'],
      [9, '00112233445566778899aabbccddeeff'],
    ]
    const bytes = kinds.map(([kind, value]) =>
      Buffer.concat([Buffer.from([2, 0x68, 0x30 + kind, kind]), Buffer.from(value, 'hex')]),
    )
    // The writer only knows text, so the headers are put in as a payload and the border moved in front of it.
    expect(decode([moveBorder(writeFrame({}, Buffer.concat(bytes)))])[0]?.headers).toEqual(
      new Map([['h7', 'ü']]),
    )
  })

  test('are the same wherever the bytes are cut in two', () => {
    const whole = decode([STREAM])
    expect(whole).toHaveLength(4)
    for (let cut = 0; cut <= STREAM.length; cut += 1)
      expect(decode([STREAM.subarray(0, cut), STREAM.subarray(cut)])).toEqual(whole)
  })

  test('are the same byte by byte, and in any portions', () => {
    const whole = decode([STREAM])
    expect(decode(Array.from(STREAM, (byte) => Uint8Array.of(byte)))).toEqual(whole)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: STREAM.length }), { maxLength: 12 }), (cuts) => {
        const borders = [0, ...cuts.sort((a, b) => a - b), STREAM.length]
        expect(decode(borders.map((start, index) => STREAM.subarray(start, borders[index + 1])))).toEqual(
          whole,
        )
      }),
    )
  })

  test('that are cut short are an error, wherever they are cut', () => {
    const frame = writeChunk({ type: 'ping' })
    for (let end = 1; end < frame.length; end += 1)
      expect(() => decode([frame.subarray(0, end)])).toThrow('in the middle of a frame')
    expect(decode([])).toEqual([])
  })

  test('with any one bit wrong are refused', () => {
    const frame = writeChunk({ type: 'ping' })
    for (let bit = 0; bit < frame.length * 8; bit += 1) {
      const spoilt = Buffer.from(frame)
      spoilt[bit >> 3] = (spoilt[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => decode([spoilt])).toThrow('wrong checksum')
    }
  })

  test('of an impossible length are refused before their bytes are waited for', () => {
    for (const [length, headersLength] of [
      [15, 0],
      [0xffffffff, 0],
      [64, 49],
      [200_000, 150_000],
    ] as const) {
      const head = Buffer.from(writeFrame({}, '').subarray(0, 12))
      head.writeUInt32BE(length, 0)
      head.writeUInt32BE(headersLength, 4)
      head.writeUInt32BE(Bun.hash.crc32(head.subarray(0, 8)), 8)
      expect(() => new FrameDecoder().push(head)).toThrow('impossible length')
    }
  })

  test('with headers that do not fit are refused', () => {
    for (const hex of ['05', '0161', '016107', '01610700', '0161070005aa', '01610a'])
      expect(() => decode([moveBorder(writeFrame({}, Buffer.from(hex, 'hex')))])).toThrow('has a header')
  })

  test('of a megabyte are put together from thousands of portions', () => {
    const payload = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => index % 251))
    const frame = writeFrame({}, payload)
    const portions = Array.from({ length: Math.ceil(frame.length / 100) }, (_, index) =>
      frame.subarray(index * 100, (index + 1) * 100),
    )
    expect(Buffer.compare(decode(portions)[0]?.payload ?? Buffer.alloc(0), payload)).toBe(0)
  })
})

/** The same frame with all of its payload declared to be headers. */
function moveBorder(frame: Uint8Array): Uint8Array {
  const moved = Buffer.from(frame)
  moved.writeUInt32BE(moved.length - 16, 4)
  moved.writeUInt32BE(Bun.hash.crc32(moved.subarray(0, 8)), 8)
  moved.writeUInt32BE(Bun.hash.crc32(moved.subarray(0, -4)), moved.length - 4)
  return moved
}
