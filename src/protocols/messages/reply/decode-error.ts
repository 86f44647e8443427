import type { FailureKind, SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, asText } from '../../../wire/json-values.ts'
import { decodeErrorBody, decodeErrorEvent } from '../../error-body.ts'

/** Error types that only this format has; the others mean the same in every format. */
const KINDS_BY_TYPE: ReadonlyMap<unknown, FailureKind> = new Map([
  ['billing_error', 'credential'],
  ['timeout_error', 'timeout'],
  ['request_too_large', 'input'],
])

/** Reads an error response, in the official shape or one that compatible suppliers use. */
export function decodeError(status: number, body: string): SupplierFailure {
  return refine(decodeErrorBody(status, body))
}

/** Reads an error event, which has no HTTP status. */
export function decodeStreamError(event: unknown): SupplierFailure {
  const failure = decodeErrorEvent(event)
  const type = asText(asObject(asObject(event)?.error)?.type)
  return refine({ ...failure, kind: KINDS_BY_TYPE.get(type) ?? failure.kind })
}

function refine(failure: SupplierFailure): SupplierFailure {
  return { ...failure, param: failure.param ?? findParam(failure.message) }
}

// Suppliers of this format start with the field at fault: `messages.0.content: ...`.
function findParam(message: string): string | null {
  const path = /^([a-z_]{2,40}(?:\.[a-z0-9_]{1,40}){0,12}): /.exec(message)?.[1]
  return path?.replace(/\.(\d+)(?=\.|$)/g, '[$1]') ?? null
}
