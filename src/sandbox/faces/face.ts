import type { Ask } from '../performance/ask.ts'
import type { Performance } from '../performance/performance.ts'
import type { Refusal } from '../refusal.ts'

/** One wire format the sandbox can be addressed in. It reads requests and writes answers; it decides nothing. */
export interface Face {
  readonly name: string
  claims(method: string, path: string): boolean
  /** The key the caller presented; null when none. */
  readKey(headers: Headers): string | null
  /** Reads a request; throws a Refusal that names the field at fault. */
  open(incoming: Incoming): Scene
  writeError(refusal: Refusal): unknown
  /** The bytes that tell a reader in mid-stream that the answer has failed. */
  writeErrorFrame(refusal: Refusal): string
}

export interface Incoming {
  readonly path: string
  readonly body: unknown
  /** Unique within one sandbox; ids are made from it. */
  readonly callNumber: number
  readonly nowMs: number
}

/** A request that was understood, and how to write what the model makes of it. */
export interface Scene {
  readonly ask: Ask
  readonly stream: boolean
  writeReply(performance: Performance): unknown
  /** Lazily, so that an answer of any length is written only as fast as it is read. */
  writeFrames(performance: Performance): Iterable<Frame>
}

export interface Frame {
  readonly text: string
  /** What the frame is for, which is all that faults need to know about it. */
  readonly part: 'content' | 'finish' | 'usage' | 'end'
}
