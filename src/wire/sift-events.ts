import { tryParseJson } from './json-values.ts'
import { readSseEvent } from './sse-event.ts'
import type { FramedEvents } from './sse-framer.ts'

/** What becomes of an event on its way: it goes on, is left out, ends everything, or other bytes take its place. */
export type Verdict = 'forward' | 'remove' | 'stop' | Uint8Array

/** Judges the event that stands between two places of the bytes. */
export type Weigh = (bytes: Uint8Array, start: number, end: number) => Verdict

/** The events that may go on. Usually all of them, and then the very bytes that came. */
export function siftEvents({ bytes, ends }: FramedEvents, weigh: Weigh): Uint8Array | null {
  const kept: Uint8Array[] = []
  let keptFrom = 0
  let start = 0
  for (const end of ends) {
    const verdict = weigh(bytes, start, end)
    if (verdict !== 'forward') {
      if (start > keptFrom) kept.push(bytes.subarray(keptFrom, start))
      if (verdict instanceof Uint8Array) kept.push(verdict)
      keptFrom = verdict === 'stop' ? bytes.length : end
      if (verdict === 'stop') break
    }
    start = end
  }
  if (keptFrom === 0) return bytes
  if (keptFrom < bytes.length) kept.push(bytes.subarray(keptFrom))
  return kept.length === 0 ? null : joinBytes(kept)
}

const BLANK_LINE = new TextEncoder().encode('\n\n')

/** The last event of a stream that ended before its blank line, with that line added. */
export function closeEvent(rest: Uint8Array): FramedEvents {
  const bytes = joinBytes([rest, BLANK_LINE])
  return { bytes, ends: [bytes.length] }
}

/** The same for an event whose data is JSON; null when it was cut off in the middle of it. */
export function closeJsonEvent(rest: Uint8Array): FramedEvents | null {
  const { data } = readSseEvent(rest)
  return data === null || tryParseJson(data) === undefined ? null : closeEvent(rest)
}

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  return only !== undefined && pieces.length === 1 ? only : new Uint8Array(Buffer.concat(pieces))
}
