import type { ErrorCode } from '../../errors/codes.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { FailureKind, SupplierFailure } from '../../errors/supplier-failure.ts'
import { MalformedMessage } from '../../wire/head-fields.ts'
import { type HeaderFields, SlowAnswer } from '../../wire/http-answer.ts'

const NO_ANSWER = { status: null, param: null, retryAfterSeconds: null } as const

export function malformed(message: string): SupplierFailure {
  return { kind: 'malformed', message, ...NO_ANSWER }
}

/** Resources that this machine may lack to open a connection. The supplier has not failed then. */
const LOCAL_CODES: ReadonlyMap<string, string> = new Map([
  ['EMFILE', 'file descriptors'],
  ['ENFILE', 'file descriptors'],
  ['EADDRNOTAVAIL', 'local ports'],
  ['ENOBUFS', 'memory for connections'],
  ['ENOMEM', 'memory for connections'],
])

function codeOf(error: unknown): string | null {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code === 'string') return code
  return cause === undefined ? null : codeOf(cause)
}

/**
 * The failure of a call that threw: it took too long, the answer was malformed, the supplier could not be reached, or this
 * machine could not open a connection.
 */
export function failureOf(error: unknown, hasTimedOut: boolean): SupplierFailure {
  if (hasTimedOut) return { kind: 'timeout', message: 'The supplier did not answer in time.', ...NO_ANSWER }
  if (error instanceof SlowAnswer) return { kind: 'timeout', message: error.message, ...NO_ANSWER }
  if (error instanceof MalformedMessage) return malformed(error.message)
  const code = codeOf(error)
  if (code !== null && LOCAL_CODES.has(code)) {
    return {
      kind: 'local',
      message: `This machine has no ${LOCAL_CODES.get(code)} left (${code}).`,
      ...NO_ANSWER,
    }
  }
  return {
    kind: 'unreachable',
    message: error instanceof Error ? error.message : String(error),
    ...NO_ANSWER,
  }
}

/** A supplier may quote the credential it was sent. It is removed from everything that is shown or recorded. */
export function withoutSecret(failure: SupplierFailure, secret: string): SupplierFailure {
  const { message, param } = failure
  return {
    ...failure,
    message: message.replaceAll(secret, '[removed]'),
    param: param?.replaceAll(secret, '[removed]') ?? null,
  }
}

/** `Retry-After` in seconds or as a date; null when absent or unreadable. */
export function retryAfterSecondsOf(headers: Pick<HeaderFields, 'get'>, nowMs: number): number | null {
  const text = headers.get('retry-after')
  if (text === null || text === '') return null
  const seconds = Number(text)
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds))
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - nowMs) / 1000))
}

/** Whether another supplier could still answer a request that this failure ended. */
export function isWorthAnotherTry({ kind, status }: SupplierFailure): boolean {
  // A 404 is about a model or a path in our configuration, not about the client's request.
  return (kind !== 'input' && kind !== 'context-length') || status === 404
}

/** The error for the client. Only errors in the client's own request keep the supplier's message. */
export function failureError(failure: SupplierFailure): GatewayError {
  const details = { cause: failure.message }
  if (failure.status === 404) return upstreamError('server', details)
  switch (failure.kind) {
    case 'input':
    case 'context-length':
      return new GatewayError(inputErrorCode(failure), failure.message, {
        ...details,
        ...(failure.param !== null && { param: failure.param }),
        ...(failure.cause !== undefined && { facts: { error_code: failure.cause } }),
      })
    case 'rate-limited':
      return supplierRateLimited(failure.retryAfterSeconds ?? 1)
    case 'local':
      return outOfResources(details)
    default:
      return upstreamError(failure.kind, details, waitOf(failure))
  }
}

/** Explains a wait that was shorter than usual. */
function waitOf({ shortenedWaitMs }: SupplierFailure): string {
  if (shortenedWaitMs === undefined) return ''
  const seconds = Math.ceil(shortenedWaitMs / 1_000)
  return ` It has left several requests unanswered, so it is given ${seconds} s instead of the usual time.`
}

function inputErrorCode({ kind, status }: SupplierFailure): ErrorCode {
  if (kind === 'context-length') return 'context_length_exceeded'
  return status === 413 ? 'request_too_large' : 'invalid_request'
}

/** A whole number of seconds from 1 to 60: official clients ignore anything else. */
export function supplierRateLimited(
  retryAfterSeconds: number,
  alternatives: readonly string[] = [],
): GatewayError {
  const seconds = Math.min(60, Math.max(1, Math.ceil(retryAfterSeconds)))
  const advice = alternatives.length === 0 ? '' : ` Models that can be used now: ${alternatives.join(', ')}.`
  return new GatewayError(
    'supplier_rate_limited',
    `The suppliers of this model have no capacity left; try again in ${seconds} s or use another model.${advice}`,
    { headers: { 'retry-after': String(seconds) } },
  )
}

// Descriptors and ports are free again as soon as other requests end.
const LOCAL_RETRY_SECONDS = '1'

function outOfResources(details: { cause: string }): GatewayError {
  const message = 'The gateway cannot open more connections to suppliers right now; try again in a moment.'
  return new GatewayError('temporarily_unavailable', message, {
    ...details,
    headers: { 'retry-after': LOCAL_RETRY_SECONDS },
  })
}

type UpstreamKind = Exclude<FailureKind, 'input' | 'context-length' | 'rate-limited' | 'local'>

const UPSTREAM_ERRORS: Partial<Record<UpstreamKind, readonly [ErrorCode, string]>> = {
  overloaded: ['provider_overloaded', 'The supplier of this model is overloaded.'],
  timeout: ['provider_timeout', 'The supplier of this model did not answer in time.'],
  denied: [
    'provider_error',
    'The supplier of this model refuses this request. Check that the files, caches and other resources it names exist.',
  ],
}

function upstreamError(kind: UpstreamKind, details: { cause: string }, more = ''): GatewayError {
  const [code, message] = UPSTREAM_ERRORS[kind] ?? [
    'provider_error',
    'The supplier of this model failed to answer.',
  ]
  // The gateway has retried already; more retries by the client would multiply the load on a failing supplier.
  return new GatewayError(code, message + more, { ...details, headers: { 'x-should-retry': 'false' } })
}
