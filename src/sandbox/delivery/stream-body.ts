import type { Frame } from '../faces/face.ts'
import type { FaultOf, FaultPlan } from '../faults.ts'
import { nextTurn, type Wait } from './wait.ts'

class ConnectionDestroyed extends Error {
  constructor() {
    super('The sandbox destroyed the connection on purpose.')
  }
}

export interface BodyOptions {
  readonly plan: FaultPlan
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  readonly wait: Wait
  /** What is written when the answer is to fail after so many frames. */
  writeErrorFrame(sentFrames: number): string
  /** Called when the last piece was handed over, not when the reader left. */
  onEnd(): void
}

/** A body that makes a piece only when the reader has taken the one before, and misbehaves as planned. */
export function openBody(frames: Iterable<Frame>, options: BodyOptions): ReadableStream<Uint8Array> {
  const chunks = writeChunks(frames, options)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await chunks.next()
        if (!next.done) return controller.enqueue(next.value)
        options.onEnd()
        controller.close()
      },
      async cancel() {
        await chunks.return()
      },
    },
    { highWaterMark: 0 },
  )
}

const encoder = new TextEncoder()
// 0xff and 0xfe occur in no UTF-8 text.
const GARBAGE = new Uint8Array([...encoder.encode('data: {"id": '), 0xff, 0xfe, ...encoder.encode('\n\n')])

type Interruption = 'cut' | 'error' | 'garbage'

async function* writeChunks(
  frames: Iterable<Frame>,
  { plan, signal, wait, writeErrorFrame }: BodyOptions,
): AsyncGenerator<Uint8Array, void> {
  let sent = 0
  for (const frame of frames) {
    if (plan.find('truncated-end') !== null && frame.part !== 'content') return
    const interruption = findInterruption(plan, sent)
    if (interruption === 'cut') throw new ConnectionDestroyed()
    if (interruption === 'error') return yield encoder.encode(writeErrorFrame(sent))
    if (interruption === 'garbage') return yield GARBAGE
    const pauseMs = pauseBefore(frame, sent, plan)
    if (pauseMs > 0) await wait(pauseMs, signal)
    for (const chunk of splitBytes(frame.bytes ?? encoder.encode(frame.text), plan.find('split-utf8'))) {
      yield chunk
      await nextTurn()
    }
    sent += 1
  }
  if (plan.find('cut') !== null) throw new ConnectionDestroyed()
}

function findInterruption(plan: FaultPlan, sent: number): Interruption | null {
  if (plan.find('cut')?.afterPieces === sent) return 'cut'
  if (plan.find('error-in-stream')?.afterPieces === sent) return 'error'
  const garbage = plan.find('garbage')
  return garbage !== null && (garbage.afterPieces ?? 0) === sent ? 'garbage' : null
}

function pauseBefore(frame: Frame, sent: number, plan: FaultPlan): number {
  const betweenMs = sent === 0 ? 0 : (plan.find('latency')?.betweenPiecesMs ?? 0)
  const usageMs = frame.part === 'usage' ? (plan.find('late-usage')?.afterMs ?? 0) : 0
  return betweenMs + usageMs
}

/** Cuts bytes where a careless reader breaks: everywhere, or inside every character of several bytes. */
export function* splitBytes(bytes: Uint8Array, fault: FaultOf<'split-utf8'> | null): Generator<Uint8Array> {
  if (fault === null) return yield bytes
  let start = 0
  for (let end = 1; end < bytes.length; end++) {
    if (fault.at === 'inside-characters' && !isContinuation(bytes[end])) continue
    yield bytes.subarray(start, end)
    start = end
  }
  yield bytes.subarray(start)
}

/** Every byte of a character but its first looks like this. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000
}
