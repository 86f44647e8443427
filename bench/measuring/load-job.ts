/** The job of the load generator. It stops at whichever bound comes first. */
export interface LoadJob {
  readonly port: number
  readonly path: string
  /** Requests take them in turn. */
  readonly headers: readonly Readonly<Record<string, string>>[]
  readonly body: string
  readonly connections: number
  readonly maxSeconds: number
  readonly maxRequests: number
  /** Server-sent events a good reply has; null for a whole reply. */
  readonly expectedEvents: number | null
  /** How many are sent, whatever the answers take; without it, the next one is sent when the last is answered. */
  readonly ratePerSecond?: number
  /** What a good reply may have; without it, only 200. */
  readonly statuses?: readonly number[]
}

export interface LoadResult {
  readonly requests: number
  readonly failures: number
  /** What went wrong first, for the reader of the report. */
  readonly firstFailure: string | null
  readonly seconds: number
  readonly latencyUs: Spread
  /** From the request to the first byte of the reply's body. */
  readonly firstByteUs: Spread
  /** Between two pieces of a stream, as they arrive. */
  readonly gapUs: Spread
}

export interface Spread {
  readonly p50: number
  readonly p99: number
  readonly p999: number
}
