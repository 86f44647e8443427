import type { FailureKind, SupplierFailure } from '../errors/supplier-failure.ts'
import { asObject, asText, isObject, type JsonObject, tryParseJson } from '../wire/json-values.ts'
import { findRefusedParameter } from './refused-parameter.ts'
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
} from './supplier-error.ts'

/** The contents of an error body, in any of the common shapes. */
export interface ErrorWords {
  readonly message: string
  /** `code` and `type` in lower case, if they are strings. */
  readonly codes: readonly string[]
  readonly param: string | null
  /** The HTTP status inside the body, as in an error event. */
  readonly status: number | null
  /** True when a content filter flagged the input. */
  readonly isFlagged: boolean
}

/** Codes that mean the same with every status; the first match wins. */
const KINDS_BY_CODE: ReadonlyMap<string, FailureKind> = new Map([
  ['context_length_exceeded', 'context-length'],
  // Also sent with a 413, when a request exceeds the tokens per minute of the gateway's account.
  ['rate_limit_exceeded', 'rate-limited'],
  ['rate_limit_reached_error', 'rate-limited'],
  ['engine_overloaded_error', 'overloaded'],
  ['insufficient_quota', 'credential'],
  ['exceeded_current_quota_error', 'credential'],
  ['invalid_api_key', 'credential'],
  ['api_key_invalid', 'credential'],
  ['api_key_expired', 'credential'],
  ['expired_api_key', 'credential'],
  ['organization_restricted', 'credential'],
  ['billing_hard_limit_reached', 'credential'],
  ['billing_not_active', 'credential'],
  ['account_deactivated', 'credential'],
  ['authentication_error', 'credential'],
  // A valid key may lack a permission: the client may have named a file or tool of another account.
  ['permission_error', 'denied'],
  // The gateway sets the model name, so this is not the client's fault.
  ['model_not_found', 'server'],
  ['invalid_model', 'server'],
  // Some filters respond with a status that usually concerns the API key.
  ['content_filter', 'input'],
  ['content_policy_violation', 'input'],
  ['moderation_blocked', 'input'],
])

// The status blames the request, but the gateway sets the model name. The name may be quoted, so the text before it counts.
const NO_SUCH_MODEL =
  /^model not exist\b|^(?:the |this )?(?:requested )?model [^ ]{1,80} (?:does not exist|is not a valid model)/i

/** Codes that count only in error events, which have no status. */
const STREAM_KINDS_BY_CODE: ReadonlyMap<string, FailureKind> = new Map([
  ['rate_limit_error', 'rate-limited'],
  ['overloaded_error', 'overloaded'],
  ['server_is_overloaded', 'overloaded'],
  ['timeout', 'timeout'],
  ['invalid_request_error', 'input'],
  ['invalid_prompt', 'input'],
  ['content_filter', 'input'],
])

/** Reads an error response of the shape `{error: {message, type, code, param}}` or similar. */
export function decodeErrorBody(status: number, body: string): SupplierFailure {
  const words = readErrorWords(tryParseJson(body)) ?? readPlainText(body)
  return {
    ...verdictFields(classify(status, words)),
    status,
    message: words?.message ?? `The supplier answered with status ${status}.`,
    param: words?.param ?? null,
    ...(words !== null && findRefusedParameter(words)),
    retryAfterSeconds: null,
  }
}

/** Reads an error event, which has no HTTP status. */
export function decodeErrorEvent(error: unknown): SupplierFailure {
  const words = readErrorWords(error)
  const status = words?.status ?? null
  return {
    ...verdictFields(status === null ? classifyWithoutStatus(words) : classify(status, words)),
    status,
    message: words?.message ?? 'The supplier reported an error within its answer.',
    param: words?.param ?? null,
    retryAfterSeconds: null,
  }
}

function classify(status: number, words: ErrorWords | null): Verdict {
  const verdict = failureKindOf(status)
  if (words === null) return status === 404 ? 'server' : verdict
  const byCode = kindByCode(KINDS_BY_CODE, words)
  if (byCode !== null && byCode !== 'denied') return byCode
  if (words.isFlagged) return 'input'
  if (verdict === 'denied') return byCode === null ? judgeDenial(words.message) : judgeCoded(words.message)
  if (byCode !== null || verdict !== 'input') return byCode ?? verdict
  if (saysPromptTooLong(words.message)) return 'context-length'
  if (isOurName(words, status)) return 'server'
  return soundsLikeAccount(words.message) ? 'suspected' : 'input'
}

/** A code that does not blame the key outweighs a message that mentions one. */
function judgeCoded(message: string): FailureKind {
  const verdict = judgeDenial(message)
  return verdict === 'suspected' ? 'denied' : verdict
}

function isOurName({ message, param }: ErrorWords, status: number): boolean {
  return NO_SUCH_MODEL.test(message) || (status === 404 && isOurAddress(param, ownWordsOf(message)))
}

function classifyWithoutStatus(words: ErrorWords | null): FailureKind {
  if (words === null) return 'server'
  const byCode = kindByCode(KINDS_BY_CODE, words) ?? kindByCode(STREAM_KINDS_BY_CODE, words)
  if (byCode !== null && byCode !== 'input' && byCode !== 'denied') return byCode
  if (byCode === 'denied') return judgeCoded(words.message)
  return saysPromptTooLong(words.message) ? 'context-length' : (byCode ?? 'server')
}

function kindByCode(kinds: ReadonlyMap<string, FailureKind>, { codes }: ErrorWords): FailureKind | null {
  for (const code of codes) {
    const kind = kinds.get(code)
    if (kind !== undefined) return kind
  }
  return null
}

// A 404 about the model or the path concerns what the gateway sent, not the client's input.
function isOurAddress(param: string | null, said: string): boolean {
  return param === 'model' || /\bmodels?\b|\bdeployment\b|^not found\.?$|\burl\b|\bpath\b/i.test(said)
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
  const finding = findingIn(error)
  const metadata = asObject(error.metadata)
  const words = asText(error.message)
  const isFindingAsText = finding !== null && words?.startsWith('{') === true
  const text =
    quotedMessage(metadata) ?? (isFindingAsText ? null : words) ?? finding?.text ?? asText(error.msg)
  const codes = [error.code, error.type].flatMap((code) => asText(code)?.toLowerCase() ?? [])
  const said = text ?? asText(error.title) ?? (codes.length === 0 ? null : codes.join(' '))
  if (said === null) return null
  return {
    message: cleanSupplierMessage(said),
    codes,
    param: cleanParam(asText(error.param) ?? finding?.path ?? null),
    status: readStatus(error.code) ?? readStatus(error.status),
    isFlagged: metadata !== null && (Array.isArray(metadata.reasons) || metadata.flagged_input !== undefined),
  }
}

/** Suppliers that forward to others quote the original error. */
function quotedMessage(metadata: JsonObject | null): string | null {
  const raw = asText(metadata?.raw)
  return raw === null ? null : (readErrorWords(tryParseJson(raw))?.message ?? null)
}

interface Finding {
  readonly text: string
  readonly path: string | null
}

/** Frameworks such as FastAPI return a list in `detail`; some suppliers put it into `message`, even as a string. */
function findingIn(error: JsonObject): Finding | null {
  const message = asText(error.message)
  const inner = message?.startsWith('{') ? tryParseJson(message) : error.message
  const detail = error.detail ?? asObject(inner)?.detail ?? inner
  if (!Array.isArray(detail)) return plainFinding(detail === error.message ? null : detail)
  const first = asObject(detail[0])
  const text = asText(first?.msg)
  if (text === null) return null
  const path = Array.isArray(first?.loc) ? first.loc.filter(isPathStep).join('.') : ''
  // The text is meaningless without the path.
  return path === '' ? { text, path: null } : { text: `${path}: ${text}`, path }
}

function isPathStep(step: unknown): step is string | number {
  return (typeof step === 'string' && step !== 'body') || typeof step === 'number'
}

function plainFinding(detail: unknown): Finding | null {
  const text = asText(detail) ?? asText(asObject(detail)?.message)
  return text === null ? null : { text, path: null }
}

function readStatus(value: unknown): number | null {
  const status = typeof value === 'string' ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600
    ? status
    : null
}

// An HTML page from a proxy would not help a reader.
function readPlainText(body: string): ErrorWords | null {
  const message = cleanSupplierMessage(body)
  const isProse =
    message !== '' && !message.startsWith('<') && !message.startsWith('{') && !message.startsWith('[')
  return isProse ? { message, codes: [], param: null, status: null, isFlagged: false } : null
}
