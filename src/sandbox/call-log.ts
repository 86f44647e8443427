/** A call as tests see it. Header values stay out of it because one of them is a key. */
export interface CallRecord {
  readonly number: number
  readonly method: string
  readonly path: string
  /** null until the body was understood. */
  model: string | null
  readonly headerNames: readonly string[]
  /** The trace that the caller told, which is no secret; null when it told none. */
  readonly trace: { readonly parent: string; readonly state: string | null } | null
  /** null when the body was not JSON or too large to keep. */
  body: unknown
  readonly startedAtMs: number
  /** True when the caller left before it had the whole answer. */
  aborted: boolean
  abortedAtMs: number | null
  /** True once the whole answer was handed to the connection. */
  finished: boolean
}

export interface CallLog {
  /** The most recent calls, oldest first. */
  readonly calls: readonly CallRecord[]
  open(request: Request, startedAtMs: number): CallRecord
  markAborted(call: CallRecord, atMs: number): void
  /** Resolves with the next call whose caller leaves. */
  nextAbort(): Promise<CallRecord>
}

const MAX_CALLS = 50

export function createCallLog(): CallLog {
  const calls: CallRecord[] = []
  let waiting: ((call: CallRecord) => void)[] = []
  let opened = 0
  return {
    calls,
    open(request, startedAtMs) {
      opened += 1
      const call = describeCall(request, { number: opened, startedAtMs })
      calls.push(call)
      if (calls.length > MAX_CALLS) calls.shift()
      return call
    },
    markAborted(call, atMs) {
      if (call.aborted || call.finished) return
      call.aborted = true
      call.abortedAtMs = atMs
      const listeners = waiting
      waiting = []
      for (const resolve of listeners) resolve(call)
    },
    nextAbort() {
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}

function traceOf(headers: Headers): CallRecord['trace'] {
  const parent = headers.get('traceparent')
  return parent === null ? null : { parent, state: headers.get('tracestate') }
}

function describeCall(request: Request, opening: { number: number; startedAtMs: number }): CallRecord {
  return {
    ...opening,
    method: request.method,
    path: new URL(request.url).pathname,
    model: null,
    headerNames: [...request.headers.keys()].sort(),
    trace: traceOf(request.headers),
    body: null,
    aborted: false,
    abortedAtMs: null,
    finished: false,
  }
}
