import type { ChatFormat } from './question.ts'
import {
  addCalls,
  type CallPiece,
  failureOf,
  type Piece,
  parse,
  readPiece,
  readWholeAnswer,
} from './read-answer.ts'
import { readEvents } from './read-events.ts'
import { keyHeaders, type WireRequest } from './write-request.ts'

export interface TimedEvent {
  readonly atMs: number
  readonly name: string | null
  readonly data: string
}

export type Phase = 'waiting' | 'answering' | 'done' | 'stopped' | 'failed'

/** The state of a response. Times are in milliseconds since the request was sent. */
export interface Answer {
  readonly phase: Phase
  readonly text: string
  readonly thought: string
  /** The functions that the model wants to call. */
  readonly calls: readonly CallPiece[]
  readonly failure: string | null
  /** Null until the response starts. */
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>>
  readonly firstByteMs: number | null
  readonly durationMs: number | null
  /** The events of a streamed response. */
  readonly events: readonly TimedEvent[]
  /** The body of a response that was not streamed, or of an error. */
  readonly body: string | null
}

export const NO_ANSWER: Answer = {
  phase: 'waiting',
  text: '',
  thought: '',
  calls: [],
  failure: null,
  status: null,
  headers: {},
  firstByteMs: null,
  durationMs: null,
  events: [],
  body: null,
}

export interface Asking {
  readonly format: ChatFormat
  readonly request: WireRequest
  readonly secret: string
  readonly signal: AbortSignal
  /** Called on each update. */
  readonly onChange?: (answer: Answer) => void
}

const BROKEN_OFF = 'The response ended before it was complete.'

/** Calls the gateway as any client does and follows the response. Never throws: failures are in the result. */
export async function ask(asking: Asking): Promise<Answer> {
  const sentAtMs = performance.now()
  const sinceMs = () => performance.now() - sentAtMs
  let answer = NO_ANSWER
  const note = (change: Partial<Answer>) => {
    answer = { ...answer, ...change }
    asking.onChange?.(answer)
  }
  try {
    const response = await send(asking)
    note({ status: response.status, headers: Object.fromEntries(response.headers) })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (isStream && response.body !== null) {
      await follow(asking.format, response.body, (event, piece) => {
        const timed = { ...event, atMs: sinceMs() }
        note(grow(answer, timed, piece))
      })
      const isWhole = answer.phase === 'done'
      if (!isWhole) note({ phase: 'failed', failure: answer.failure ?? BROKEN_OFF })
    } else {
      const body = await response.text()
      note({ ...readWhole(asking.format, response, body), firstByteMs: sinceMs() })
    }
  } catch (error) {
    const isStopped = asking.signal.aborted
    note({ phase: isStopped ? 'stopped' : 'failed', failure: isStopped ? null : describe(error) })
  }
  note({ durationMs: sinceMs() })
  return answer
}

function send({ format, request, secret, signal }: Asking): Promise<Response> {
  return fetch(request.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...keyHeaders(format, secret) },
    body: JSON.stringify(request.body),
    credentials: 'omit',
    signal,
  })
}

type Listener = (event: { name: string | null; data: string }, piece: Piece) => void

async function follow(format: ChatFormat, body: ReadableStream<Uint8Array>, hear: Listener): Promise<void> {
  for await (const event of readEvents(body)) hear(event, readPiece(format, event.data))
}

function grow(answer: Answer, event: TimedEvent, piece: Piece): Partial<Answer> {
  const failure = answer.failure ?? piece.failure
  return {
    phase: failure === null && (piece.isLast || answer.phase === 'done') ? 'done' : 'answering',
    text: answer.text + piece.text,
    thought: answer.thought + piece.thought,
    calls: addCalls(answer.calls, piece.calls),
    failure,
    firstByteMs: answer.firstByteMs ?? event.atMs,
    events: [...answer.events, event],
  }
}

function readWhole(format: ChatFormat, response: Response, body: string): Partial<Answer> {
  if (response.ok) {
    const { text, thought, calls, failure } = readWholeAnswer(format, body)
    return {
      phase: failure === null ? 'done' : 'failed',
      text,
      thought,
      calls: addCalls([], calls),
      failure,
      body,
    }
  }
  const failure = failureOf(parse(body)) ?? `The gateway returned status ${response.status}.`
  return { phase: 'failed', failure, body }
}

function describe(error: unknown): string {
  return error instanceof TypeError
    ? 'The gateway could not be reached, or the connection was lost.'
    : error instanceof Error
      ? error.message
      : String(error)
}
