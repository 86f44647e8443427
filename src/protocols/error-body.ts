import type { FailureKind, SupplierFailure } from '../errors/supplier-failure.ts'
import { asObject, asText, isObject, type JsonObject, tryParseJson } from '../wire/json-values.ts'
import { cleanSupplierMessage, failureKindOf, saysPromptTooLong } from './supplier-error.ts'

/** What an error body says, whichever of the common shapes it has. */
export interface ErrorWords {
  readonly message: string
  /** Lower-case `code` and `type`, as far as they are words. */
  readonly codes: readonly string[]
  readonly param: string | null
  /** A status that stands inside the body, as in an error event. */
  readonly status: number | null
}

/** Words that mean the same whatever status they come with; the first found wins. */
const KINDS_BY_CODE: ReadonlyMap<string, FailureKind> = new Map([
  ['context_length_exceeded', 'context-length'],
  ['insufficient_quota', 'credential'],
  ['invalid_api_key', 'credential'],
  ['billing_hard_limit_reached', 'credential'],
  ['billing_not_active', 'credential'],
  ['account_deactivated', 'credential'],
  ['authentication_error', 'credential'],
  ['permission_error', 'credential'],
  // The name was put there by us, so a client could do nothing about it.
  ['model_not_found', 'server'],
])

/** Words that decide only where no status does: in an error event under a 200. */
const STREAM_KINDS_BY_CODE: ReadonlyMap<string, FailureKind> = new Map([
  ['rate_limit_exceeded', 'rate-limited'],
  ['rate_limit_error', 'rate-limited'],
  ['overloaded_error', 'overloaded'],
  ['server_is_overloaded', 'overloaded'],
  ['timeout', 'timeout'],
  ['invalid_request_error', 'input'],
  ['invalid_prompt', 'input'],
  ['content_filter', 'input'],
])

/** Reads an error response of a format whose errors are `{error: {message, type, code, param}}` or something like it. */
export function decodeErrorBody(status: number, body: string): SupplierFailure {
  const words = readErrorWords(tryParseJson(body)) ?? readPlainText(body)
  return {
    kind: classify(status, words),
    status,
    message: words?.message ?? `The supplier answered with status ${status}.`,
    param: words?.param ?? null,
    retryAfterSeconds: null,
  }
}

/** Reads the content of an error event, where no status tells what it means. */
export function decodeErrorEvent(error: unknown): SupplierFailure {
  const words = readErrorWords(error)
  const status = words?.status ?? null
  return {
    kind: status === null ? classifyWithoutStatus(words) : classify(status, words),
    status,
    message: words?.message ?? 'The supplier reported an error within its answer.',
    param: words?.param ?? null,
    retryAfterSeconds: null,
  }
}

function classify(status: number, words: ErrorWords | null): FailureKind {
  const kind = failureKindOf(status)
  if (words === null) return status === 404 ? 'server' : kind
  const byCode = kindByCode(KINDS_BY_CODE, words)
  if (byCode !== null) return byCode
  if (kind !== 'input') return kind
  if (saysPromptTooLong(words.message)) return 'context-length'
  if (/\bapi key\b/i.test(words.message)) return 'credential'
  return status === 404 && isOurAddress(words) ? 'server' : 'input'
}

function classifyWithoutStatus(words: ErrorWords | null): FailureKind {
  if (words === null) return 'server'
  const byCode = kindByCode(KINDS_BY_CODE, words) ?? kindByCode(STREAM_KINDS_BY_CODE, words)
  if (byCode !== null && byCode !== 'input') return byCode
  return saysPromptTooLong(words.message) ? 'context-length' : (byCode ?? 'server')
}

function kindByCode(kinds: ReadonlyMap<string, FailureKind>, { codes }: ErrorWords): FailureKind | null {
  for (const code of codes) {
    const kind = kinds.get(code)
    if (kind !== undefined) return kind
  }
  return null
}

// A 404 about the model or the path is about what we wrote into the call, not about the client's input.
function isOurAddress({ message, param }: ErrorWords): boolean {
  return param === 'model' || /\bmodels?\b|\bdeployment\b|^not found\.?$|\burl\b|\bpath\b/i.test(message)
}

/** Errors come as `{error: {...}}`, `{error: "..."}`, `{message}`, `{detail}`, or an array of one of these. */
export function readErrorWords(body: unknown): ErrorWords | null {
  if (Array.isArray(body)) return body.length === 0 ? null : readErrorWords(asObject(body[0]))
  if (typeof body === 'string') return toWords({ message: body })
  const outer = asObject(body)
  if (outer === null) return null
  if (outer.error !== undefined && outer.error !== null) return readInner(outer.error, outer)
  return toWords(outer)
}

function readInner(error: unknown, outer: JsonObject): ErrorWords | null {
  if (isObject(error)) return toWords(error)
  const text = asText(error)
  return text === null ? toWords(outer) : toWords({ ...outer, message: asText(outer.message) ?? text })
}

function toWords(error: JsonObject): ErrorWords | null {
  const text = asText(error.message) ?? readDetail(error.detail) ?? asText(error.msg) ?? asText(error.title)
  const codes = [error.code, error.type].flatMap((code) => asText(code)?.toLowerCase() ?? [])
  if (text === null && codes.length === 0) return null
  return {
    message: cleanSupplierMessage(text ?? codes.join(' ')),
    codes,
    param: asText(error.param)?.slice(0, 100) ?? null,
    status: readStatus(error.code) ?? readStatus(error.status),
  }
}

// Frameworks such as FastAPI give a list of findings.
function readDetail(detail: unknown): string | null {
  if (!Array.isArray(detail)) return asText(detail) ?? asText(asObject(detail)?.message)
  return asText(asObject(detail[0])?.msg)
}

function readStatus(value: unknown): number | null {
  const status = typeof value === 'string' ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600
    ? status
    : null
}

// A page from some proxy in between says nothing to a reader.
function readPlainText(body: string): ErrorWords | null {
  const message = cleanSupplierMessage(body)
  const isProse =
    message !== '' && !message.startsWith('<') && !message.startsWith('{') && !message.startsWith('[')
  return isProse ? { message, codes: [], param: null, status: null } : null
}
