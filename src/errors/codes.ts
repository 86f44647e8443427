/**
 * Every error the gateway can return. Clients branch on the code, so a code is never reused or renamed.
 * `codes.test.ts` fails when a code is missing from docs/errors.md.
 */
export const ERROR_CODES = {
  auth_required: { status: 401, retry: 'never' },
  auth_invalid: { status: 401, retry: 'never' },
  auth_expired: { status: 401, retry: 'never' },
  second_factor_required: { status: 401, retry: 'never' },
  spending_limit_exceeded: { status: 403, retry: 'never' },
  permission_denied: { status: 403, retry: 'never' },
  rate_limit_exceeded: { status: 429, retry: 'after-header' },
  supplier_rate_limited: { status: 429, retry: 'after-header' },
  invalid_request: { status: 400, retry: 'never' },
  context_length_exceeded: { status: 400, retry: 'never' },
  unsupported_parameter: { status: 400, retry: 'never' },
  model_not_found: { status: 404, retry: 'never' },
  not_found: { status: 404, retry: 'never' },
  method_not_allowed: { status: 405, retry: 'never' },
  request_too_large: { status: 413, retry: 'never' },
  unsupported_media_type: { status: 415, retry: 'never' },
  internal_error: { status: 500, retry: 'backoff' },
  provider_error: { status: 502, retry: 'backoff' },
  provider_overloaded: { status: 503, retry: 'backoff' },
  temporarily_unavailable: { status: 503, retry: 'backoff' },
  shutting_down: { status: 503, retry: 'backoff' },
  provider_timeout: { status: 504, retry: 'backoff' },
} as const satisfies Record<string, { status: number; retry: 'never' | 'after-header' | 'backoff' }>

export type ErrorCode = keyof typeof ERROR_CODES
