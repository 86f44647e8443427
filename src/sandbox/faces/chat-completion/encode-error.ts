import type { Refusal, RefusalKind } from '../../refusal.ts'

const ERROR_WORDS = {
  'bad-request': { type: 'invalid_request_error', code: null },
  'bad-key': { type: 'invalid_request_error', code: 'invalid_api_key' },
  'unknown-model': { type: 'invalid_request_error', code: 'model_not_found' },
  'unknown-path': { type: 'invalid_request_error', code: 'unknown_url' },
  'rate-limited': { type: 'requests', code: 'rate_limit_exceeded' },
  broken: { type: 'server_error', code: null },
} as const satisfies Record<RefusalKind, { type: string; code: string | null }>

export function encodeError(refusal: Refusal) {
  const { type, code } = ERROR_WORDS[refusal.kind]
  return { error: { message: refusal.message, type, param: refusal.field, code } }
}

export function encodeErrorFrame(refusal: Refusal): string {
  return `data: ${JSON.stringify(encodeError(refusal))}\n\n`
}
