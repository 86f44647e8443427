import { Refusal } from '../../refusal.ts'

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export function encodeError(refusal: Refusal) {
  const { status, message } = refusal
  const name = STATUS_NAMES[status] ?? (status >= 500 ? 'UNKNOWN' : 'INVALID_ARGUMENT')
  return { error: { code: status, message, status: name, ...encodeDetails(refusal) } }
}

function encodeDetails({ kind, code, field, message }: Refusal): { details?: readonly object[] } {
  if (code !== null)
    return {
      details: [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'googleapis.com' },
      ],
    }
  if (kind !== 'bad-request' || field === null) return {}
  const violation = { field, description: message }
  return { details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation] }] }
}

/** This service calls a wrong key a bad request, not a missing permission. */
export function refuseKey(): Refusal {
  const message = 'API key not valid. Please pass a valid API key.'
  return new Refusal('bad-key', message, { status: 400, code: 'API_KEY_INVALID' })
}
