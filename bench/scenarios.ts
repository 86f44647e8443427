import type { LoadJob } from './measuring/load-job.ts'
import { MODEL, TRANSLATED_MODEL } from './targets/target.ts'

/** One kind of traffic, the same for every target. */
export interface Scenario extends Pick<LoadJob, 'ratePerSecond' | 'statuses'> {
  readonly name: string
  readonly connections: number
  readonly maxSeconds: number
  readonly maxRequests: number
  /** Whether only the gateway can serve it, because it takes a translation. */
  readonly isTranslated?: true
  /** null: a whole reply. */
  readonly chunks: number | null
  readonly body: string
}

export interface Plan {
  readonly rounds: number
  readonly warmUp: readonly Scenario[]
  /** Measured in every round. */
  readonly repeated: readonly Scenario[]
  /** Measured once, at the end. */
  readonly once: readonly Scenario[]
}

const PROMPT =
  'You are a careful assistant. Read the following notes, then answer in three short sentences. '.repeat(8)

/** Words leave the supplier this far apart, so that each travels, and is copied, alone. */
const STREAM_GAP_MS = 5

export function makePlan(full: boolean): Plan {
  const seconds = full ? 6 : 1.2
  const aloneSeconds = full ? 3 : 0.5
  return {
    rounds: full ? 8 : 3,
    warmUp: Array.from({ length: 3 }, oneWarmUp).flat(),
    repeated: [
      whole('whole', 16, seconds),
      whole('whole-alone', 1, aloneSeconds),
      stream('stream', { connections: 64, chunks: 100, maxSeconds: seconds }),
      translatedStream({ connections: 64, chunks: 100, maxSeconds: seconds }),
      stream('stream-alone', { connections: 1, chunks: 2, maxSeconds: aloneSeconds }),
    ],
    once: full ? [crowd()] : [],
  }
}

/**
 * Until code is compiled, the compiler's own threads are a visible part of what is measured: after two rounds of this
 * they may still take a tenth of a request's time. Each kind of traffic also makes the compiler
 * recompile some of what the others use, so they alternate.
 */
function oneWarmUp(): Scenario[] {
  return [
    whole('whole', 16, 4),
    whole('whole-alone', 1, 1),
    stream('stream', { connections: 64, chunks: 60, maxSeconds: 1 }),
    translatedStream({ connections: 64, chunks: 60, maxSeconds: 1 }),
  ]
}

function whole(name: 'whole' | 'whole-alone', connections: number, maxSeconds: number): Scenario {
  return {
    name,
    connections,
    maxSeconds,
    maxRequests: 200_000,
    chunks: null,
    body: buildBody('whole reply', false),
  }
}

type StreamShape = Pick<Scenario, 'connections' | 'maxSeconds'> & { readonly chunks: number }

function stream(name: 'stream' | 'stream-alone', shape: StreamShape): Scenario {
  const script = `chunks=${shape.chunks} gap=${STREAM_GAP_MS}`
  return { name, ...shape, maxRequests: 20_000, body: buildBody(script, true) }
}

/** The same words from a supplier that speaks another format than the client. */
function translatedStream(shape: StreamShape): Scenario {
  const script = `chunks=${shape.chunks} gap=${STREAM_GAP_MS}`
  const body = buildBody(script, true, TRANSLATED_MODEL)
  return { name: 'translated-stream', isTranslated: true, ...shape, maxRequests: 20_000, body }
}

/** As many streams at once as a busy team has, each as slow as a large model writes. */
function crowd(): Scenario {
  const body = buildBody('chunks=60 gap=100', true)
  return { name: 'crowd', connections: 2_000, maxSeconds: 12, maxRequests: 6_000, chunks: 60, body }
}

export function buildBody(script: string, stream: boolean, model = MODEL): string {
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: PROMPT },
      { role: 'user', content: script },
    ],
    temperature: 0.7,
    max_tokens: 512,
    ...(stream ? { stream: true } : {}),
  })
}

/** The words, the finish and the terminator; the client asks for no usage, so a usage event would be one too many. */
export function expectedEvents({ chunks }: Scenario): number | null {
  return chunks === null ? null : chunks + 2
}
