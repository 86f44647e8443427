import type { RequestLine } from '../../serve/ports/log.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import { scrub } from './scrub.ts'

/** The fields of a request line after level and time, in this order. docs/monitoring/logs.md has the same table. */
export const REQUEST_FIELDS = {
  requestId: 'As in the `x-request-id` of the answer and in the settlement.',
  method: '`WEBSOCKET` for a message of a WebSocket, `BACKGROUND` for a response made in the background.',
  path: 'Without the query, and at most 200 characters.',
  status: 'The status of the answer.',
  durationMs: 'Until the last byte of a stream, and until the answer began for all others.',
  account: 'The id of the account.',
  key: 'The name of the API key, never the key itself.',
  model: 'The model, as clients name it; only when there is such a model.',
  supplier: 'The supplier that answered.',
  attempts: 'How many calls to suppliers it took.',
  inputTokens: 'Tokens of the prompt, including cached ones.',
  cachedTokens: 'Those read from a cache; absent when there were none.',
  outputTokens: 'Tokens of the answer, including reasoning.',
  amount: 'What the account pays, in USDT, as a number. The settlement has the exact amount.',
  cost: 'What the supplier charges, likewise.',
  firstByteMs: 'From admission to the first byte; absent when there was none.',
  outcome: 'How it ended, as in the settlement; absent when it was completed.',
  session: 'The session that the client named.',
  agent: 'The agent that the client named.',
  errorCode: 'The error code; absent when there was no error.',
  traceId: 'The trace of the request, when OpenTelemetry is on.',
  spanId: 'Its span.',
} as const

export type RequestField = keyof typeof REQUEST_FIELDS

/** Pino's numbers of the levels. */
export const LEVEL_NUMBERS = {
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  silent: Number.POSITIVE_INFINITY,
} as const

/** Faults of the gateway are errors, failures of suppliers and shortages warnings; mistakes of clients are neither. */
export function requestLevel({ status, findings }: RequestLine): 'info' | 'warn' | 'error' {
  if (findings?.error?.code === 'internal_error') {
    // The client left: nobody has seen this answer.
    return findings.settlement?.outcome === 'client_left' ? 'info' : 'error'
  }
  if (status >= 500) return 'warn'
  return findings?.settlement?.outcome === 'supplier_failed' ? 'warn' : 'info'
}

const MAX_PATH_LENGTH = 200
const MAX_REMEMBERED = 2_000

/** Writes texts as JSON. Remembers the usual ones only: what clients make up must not fill memory. */
export class QuotedTexts {
  readonly #known = new Map<string, string>()

  quote(text: string): string {
    return this.#known.get(text) ?? this.#add(text)
  }

  #add(text: string): string {
    const quoted = JSON.stringify(scrub(text.slice(0, MAX_PATH_LENGTH)))
    if (this.#known.size < MAX_REMEMBERED) this.#known.set(text, quoted)
    return quoted
  }
}

/**
 * The members of a request line after level and time, as JSON without braces. They are written by hand: a general logger
 * takes several times as long, on every request.
 */
export function requestMembers(line: RequestLine, texts: QuotedTexts): string {
  const { requestId, method, path, status, durationMs, findings } = line
  const members = `"requestId":"${requestId}","method":"${method}","path":${texts.quote(path)},"status":${status},"durationMs":${durationMs}`
  return findings === undefined ? members : members + findingMembers(findings, texts)
}

function findingMembers(findings: NonNullable<RequestLine['findings']>, texts: QuotedTexts): string {
  const { keyHolder, modelId, settlement, error, trace } = findings
  let members = ''
  if (keyHolder !== undefined)
    members += `,"account":"${keyHolder.account.id}","key":${texts.quote(keyHolder.key.name)}`
  if (modelId !== undefined) members += `,"model":${texts.quote(modelId)}`
  if (settlement !== undefined) members += settlementMembers(settlement, texts)
  if (error !== undefined) members += `,"errorCode":"${error.code}"`
  if (trace !== undefined) members += `,"traceId":"${trace.traceId}","spanId":"${trace.spanId}"`
  return members
}

/** A number, because tools for logs can add numbers up. */
export function usdtOf(nano: NanoUsdt): number {
  return nano === 0n ? 0 : Number(nano) / 1e9
}

type Settled = NonNullable<NonNullable<RequestLine['findings']>['settlement']>

function settlementMembers(settlement: Settled, texts: QuotedTexts): string {
  const { supplier, attempts, usage, amountNano, costNano, firstByteMs, outcome, session, agent } = settlement
  let members = supplier === null ? '' : `,"supplier":${texts.quote(supplier)}`
  members += `,"attempts":${attempts.length},"inputTokens":${usage.input + usage.cacheRead + usage.cacheWrite}`
  if (usage.cacheRead > 0) members += `,"cachedTokens":${usage.cacheRead}`
  members += `,"outputTokens":${usage.output},"amount":${usdtOf(amountNano)},"cost":${usdtOf(costNano)}`
  if (firstByteMs !== null) members += `,"firstByteMs":${firstByteMs}`
  if (outcome !== 'completed') members += `,"outcome":"${outcome}"`
  // These are what clients make up, so they are not remembered.
  if (session !== null) members += `,"session":${JSON.stringify(scrub(session))}`
  if (agent !== null) members += `,"agent":${JSON.stringify(scrub(agent))}`
  return members
}
