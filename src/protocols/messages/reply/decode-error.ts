import type { FailureKind, SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, asText, tryParseJson } from '../../../wire/json-values.ts'
import { decodeErrorBody, decodeErrorEvent } from '../../error-body.ts'

/** Error types that only this format has; the others mean the same in every format. */
const KINDS_BY_TYPE: ReadonlyMap<unknown, FailureKind> = new Map([
  ['billing_error', 'credential'],
  ['timeout_error', 'timeout'],
  ['request_too_large', 'input'],
])

/** Reads an error response, in the official shape or one that compatible suppliers use. */
export function decodeError(status: number, body: string): SupplierFailure {
  const failure = refine(decodeErrorBody(status, body))
  const cause = causeIn(tryParseJson(body))
  return cause === null ? failure : { ...failure, cause }
}

/** Reads an error event, which has no HTTP status. */
export function decodeStreamError(event: unknown): SupplierFailure {
  const failure = decodeErrorEvent(event)
  const type = asText(asObject(asObject(event)?.error)?.type)
  return refine({ ...failure, kind: KINDS_BY_TYPE.get(type) ?? failure.kind })
}

const CAUSE = /^[a-z][a-z0-9_]{0,63}$/

/** Clients of this format branch on the name of the cause rather than on the message. */
function causeIn(body: unknown): string | null {
  const cause = asText(asObject(asObject(asObject(body)?.error)?.details)?.error_code)
  return cause !== null && CAUSE.test(cause) ? cause : null
}

function refine(failure: SupplierFailure): SupplierFailure {
  return { ...failure, param: failure.param ?? findParam(failure.message) }
}

// Suppliers of this format start with the field at fault: `messages.0.content: ...`.
function findParam(message: string): string | null {
  const path = /^([a-z_]{2,40}(?:\.[a-z0-9_]{1,40}){0,12}): /.exec(message)?.[1]
  return path?.replace(/\.(\d+)(?=\.|$)/g, '[$1]') ?? null
}
