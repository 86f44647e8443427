import type { Refusal } from '../../refusal.ts'

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export function encodeError({ status, message }: Refusal) {
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  return { type: 'error', error: { type, message }, request_id: 'req_sandbox' }
}

export function encodeErrorFrame(refusal: Refusal): string {
  const { type, error } = encodeError(refusal)
  return `event: error\ndata: ${JSON.stringify({ type, error })}\n\n`
}
