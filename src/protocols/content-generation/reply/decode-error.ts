import type { FailureKind, SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asArray, asObject, asText, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import { findRefusedParameter } from '../../refused-parameter.ts'
import {
  cleanParam,
  cleanSupplierMessage,
  failureKindOf,
  judgeDenial,
  ownWordsOf,
  saysPromptTooLong,
  soundsLikeAccount,
  type Verdict,
  verdictFields,
} from '../../supplier-error.ts'

interface ErrorWords {
  readonly message: string
  /** A status such as `RESOURCE_EXHAUSTED`; empty when there is none. */
  readonly word: string
  /** The HTTP status inside the body, as in an error event. */
  readonly status: number | null
  readonly reasons: readonly string[]
  readonly param: string | null
  readonly retryAfterSeconds: number | null
}

/** What a status means. Statuses about the gateway's account or configuration are not the client's fault. */
const KINDS_BY_WORD: ReadonlyMap<string, FailureKind> = new Map([
  ['INVALID_ARGUMENT', 'input'],
  ['OUT_OF_RANGE', 'input'],
  // Used for the gateway's location or billing, and for a client's file that is not ready.
  ['FAILED_PRECONDITION', 'denied'],
  ['UNAUTHENTICATED', 'credential'],
  // Used for keys, and for files and caches that do not exist; the reasons and the message tell which.
  ['PERMISSION_DENIED', 'denied'],
  ['RESOURCE_EXHAUSTED', 'rate-limited'],
  ['UNAVAILABLE', 'overloaded'],
  ['DEADLINE_EXCEEDED', 'timeout'],
  ['CANCELLED', 'server'],
  ['INTERNAL', 'server'],
])

const CREDENTIAL_REASONS = /^(?:API_KEY_|BILLING_|SERVICE_DISABLED|CONSUMER_|ACCOUNT_|ACCESS_TOKEN_)/

/** Reads an error response: an object with `error`, or an array of one when a stream was requested. */
export function decodeError(status: number, body: string): SupplierFailure {
  const words = readWords(tryParseJson(body))
  return {
    ...verdictFields(classify(words, status)),
    status,
    message: words?.message ?? `The supplier answered with status ${status}.`,
    param: words?.param ?? null,
    ...(words !== null && findRefusedParameter({ message: words.message, codes: [], param: null })),
    retryAfterSeconds: words?.retryAfterSeconds ?? null,
  }
}

/** Reads an error event, whose status is in the body. */
export function decodeStreamError(chunk: unknown): SupplierFailure {
  const words = readWords(chunk)
  return {
    ...verdictFields(classify(words, words?.status ?? null)),
    status: words?.status ?? null,
    message: words?.message ?? 'The supplier reported an error within its answer.',
    param: words?.param ?? null,
    retryAfterSeconds: words?.retryAfterSeconds ?? null,
  }
}

function classify(words: ErrorWords | null, status: number | null): Verdict {
  const byStatus = status === null ? 'server' : failureKindOf(status)
  if (words === null) return byStatus === 'input' && status === 404 ? 'server' : byStatus
  const kind = KINDS_BY_WORD.get(words.word) ?? byStatus
  if (words.reasons.some((reason) => CREDENTIAL_REASONS.test(reason))) return 'credential'
  if (kind === 'denied') return judgeDenial(words.message)
  if (kind !== 'input') return kind
  if (saysPromptTooLong(words.message)) return 'context-length'
  if (soundsLikeAccount(words.message)) return 'suspected'
  // The gateway sets the model name, so this is not the client's fault.
  return isAboutModel(words, status) ? 'server' : 'input'
}

function isAboutModel({ word, message }: ErrorWords, status: number | null): boolean {
  return (
    (status === 404 || word === 'NOT_FOUND') && /\bmodels?\b|^$|\burl\b|\bpath\b/i.test(ownWordsOf(message))
  )
}

function readWords(body: unknown): ErrorWords | null {
  const outer = asObject(Array.isArray(body) ? body[0] : body)
  if (outer === null) return null
  const error = asObject(outer.error) ?? (asText(outer.error) === null ? outer : { message: outer.error })
  const message = asText(error.message)
  const word = asText(error.status) ?? ''
  if (message === null && word === '') return null
  const details = asArray(error.details).map((detail) => asObject(detail) ?? {})
  return {
    message: cleanSupplierMessage(message ?? word),
    word,
    status: readStatus(error.code),
    reasons: details.flatMap(({ reason }) => asText(reason) ?? []),
    param: readParam(details),
    retryAfterSeconds: readRetryAfter(details),
  }
}

function readStatus(code: unknown): number | null {
  return typeof code === 'number' && Number.isInteger(code) && code >= 400 && code < 600 ? code : null
}

function readParam(details: readonly JsonObject[]): string | null {
  const fields = details.flatMap(({ fieldViolations }) =>
    asArray(fieldViolations).flatMap((violation) => asText(asObject(violation)?.field) ?? []),
  )
  return cleanParam(fields[0] ?? null)
}

// Written as `37s` or `1.5s`.
function readRetryAfter(details: readonly JsonObject[]): number | null {
  for (const { retryDelay } of details) {
    const seconds = /^(\d{1,6})(?:\.\d+)?s$/.exec(asText(retryDelay) ?? '')?.[1]
    if (seconds !== undefined) return Number(seconds) + (String(retryDelay).includes('.') ? 1 : 0)
  }
  return null
}
