import { mutate } from '../support/mutate.ts'
import type { Entry, Place } from './corpus.ts'
import type { Random } from './random.ts'

/** JSON texts that are wrong in their own way wherever they are put; some are wrong only once they are parsed. */
const ODD_TEXTS: readonly string[] = [
  'null true false 0 -1 1.5 1e308 1e400 -1e400 9007199254740993 123456789012345678901234567890',
  '"" "x" "\\u0000" "\\ud800" "{\\"a\\":" "{\\"a\\":1}" "__proto__" "constructor" "data:image/png;base64,**"',
  '[] [null] [[]] [{}] {} {"type":"text"} {"type":7} {"__proto__":{"type":"text"}} {"length":-1}',
  '{"constructor":null,"toString":1} {"error":{}} {"index":-3} {"index":1e9} {"text":null}',
].flatMap((line) => line.split(' '))

/** Seldom put in, since each is longer than most documents. */
const HUGE_TEXTS: readonly string[] = [
  JSON.stringify('long '.repeat(2_000)),
  JSON.stringify('\\u{1f600}"\\'.repeat(500)),
  '9'.repeat(3_000),
  nest('[', ']', 400),
  nest('[', ']', 5_000),
  nest('{"a":', '}', 400),
  nest('{"items":', '}', 5_000),
  JSON.stringify(nest('[', ']', 5_000)),
  nest('{"type":"array","items":', '}', 1_000),
  nest('[', ']', 60_000),
]

const STRAY_BYTES = Buffer.from('{}[]",:\\\n\r\0 \u{feff}\u{2028}\u{1f600}data: event: \n\n[DONE]')

function nest(open: string, close: string, depth: number): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`
}

/** A damaged copy of one entry of a corpus; never the entry itself. */
export function damage(entry: Entry, corpus: readonly Entry[], random: Random): Buffer {
  for (;;) {
    const kind = random.below(10)
    let bytes = entry.bytes
    if (kind === 0 && entry.value !== undefined) bytes = changeValue(entry.value, random)
    else if (kind < 8) bytes = swapPlaces(entry, random.pick(corpus), random)
    if (kind > 6) bytes = hurtBytes(bytes, random.pick(corpus).bytes, random)
    if (!bytes.equals(entry.bytes)) return bytes
  }
}

function changeValue(value: unknown, random: Random): Buffer {
  const numbers = Array.from({ length: 1 + random.below(4) }, () => random.below(100_000))
  return Buffer.from(JSON.stringify(mutate(value, numbers)))
}

/** The text with one to four of its names and values replaced, so that most of what comes out can still be parsed. */
function swapPlaces(entry: Entry, donor: Entry, random: Random): Buffer {
  const chosen = Array.from({ length: 1 + random.below(4) }, () => random.pick(entry.places))
  const pieces: Buffer[] = []
  let copiedTo = 0
  for (const place of chosen.toSorted((a, b) => a.start - b.start)) {
    // A place may lie inside one that is already replaced.
    if (place.start < copiedTo) continue
    pieces.push(entry.bytes.subarray(copiedTo, place.start), replacement(place, { entry, donor }, random))
    copiedTo = place.end
  }
  pieces.push(entry.bytes.subarray(copiedTo))
  return Buffer.concat(pieces)
}

interface Sources {
  readonly entry: Entry
  readonly donor: Entry
}

function replacement({ isName }: Place, { entry, donor }: Sources, random: Random): Buffer {
  if (!isName && random.below(400) === 0) return Buffer.from(random.pick(HUGE_TEXTS))
  if (!isName && random.below(2) === 0) return Buffer.from(random.pick(ODD_TEXTS))
  const source = random.below(2) === 0 ? entry : donor
  const taken = random.pick(source.places)
  return taken.isName === isName ? source.bytes.subarray(taken.start, taken.end) : Buffer.from('"type"')
}

/** Damage that knows nothing of what it hits: one to three flips, cuts, repetitions or splices. */
function hurtBytes(bytes: Buffer, donor: Buffer, random: Random): Buffer {
  let hurt = bytes
  for (let left = 1 + random.below(3); left > 0; left--) hurt = hurtOnce(hurt, donor, random)
  return hurt
}

function hurtOnce(bytes: Buffer, donor: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1)
  const until = Math.min(bytes.length, at + 1 + random.below(random.below(3) === 0 ? 400 : 8))
  const before = bytes.subarray(0, at)
  switch (random.below(6)) {
    case 0:
      return Buffer.concat([before, Buffer.of(random.below(256)), bytes.subarray(at + 1)])
    case 1:
      return Buffer.concat([
        before,
        Buffer.of((bytes[at] ?? 0) ^ (1 << random.below(8))),
        bytes.subarray(at + 1),
      ])
    case 2:
      return Buffer.concat([before, bytes.subarray(until)])
    case 3:
      return Buffer.concat([bytes.subarray(0, until), bytes.subarray(at)])
    case 4:
      return Buffer.concat([before, donor.subarray(random.below(donor.length + 1))])
    default: {
      const start = random.below(STRAY_BYTES.length)
      return Buffer.concat([
        before,
        STRAY_BYTES.subarray(start, start + 1 + random.below(4)),
        bytes.subarray(at),
      ])
    }
  }
}

/** The bytes in up to four pieces, as a network may deliver them; most arrive in one. */
export function cut(bytes: Uint8Array, random: Random): Uint8Array[] {
  if (random.below(2) === 0) return [bytes]
  const marks = Array.from({ length: 1 + random.below(3) }, () => random.below(bytes.length + 1))
  const edges = [0, ...marks.toSorted((a, b) => a - b), bytes.length]
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end))
}
