/**
 * Every error the gateway can return. Clients branch on the code, so a code is never reused or renamed.
 * `codes.test.ts` fails when a code is missing from docs/reference/errors.md; the API document tells each `meaning`.
 */
export const ERROR_CODES = {
  auth_required: { status: 401, retry: 'never', meaning: 'No API key was sent.' },
  auth_invalid: { status: 401, retry: 'never', meaning: 'The key is unknown, disabled or revoked.' },
  auth_expired: { status: 401, retry: 'never', meaning: 'The key has passed its expiry.' },
  second_factor_required: {
    status: 401,
    retry: 'never',
    meaning: 'Console only: the password was right; the code of the second factor is missing.',
  },
  spending_limit_exceeded: {
    status: 403,
    retry: 'never',
    meaning: 'The limit of the key or the balance of the account does not cover the request.',
  },
  permission_denied: { status: 403, retry: 'never', meaning: 'The key is valid but may not do this.' },
  rate_limit_exceeded: {
    status: 429,
    retry: 'after-header',
    meaning: 'Your own limit of requests or tokens per minute is used up.',
  },
  supplier_rate_limited: {
    status: 429,
    retry: 'after-header',
    meaning: 'The suppliers of this model have no capacity left; another model may work.',
  },
  invalid_request: {
    status: 400,
    retry: 'never',
    meaning: 'The request is not what this endpoint takes; `param` names the field.',
  },
  context_length_exceeded: {
    status: 400,
    retry: 'never',
    meaning: 'The prompt and the output asked for do not fit the model.',
  },
  unsupported_parameter: {
    status: 400,
    retry: 'never',
    meaning: 'The parameter cannot be honoured for this request.',
  },
  model_not_found: {
    status: 404,
    retry: 'never',
    meaning: 'The model does not exist, or the key may not use it.',
  },
  not_found: {
    status: 404,
    retry: 'never',
    meaning: 'There is nothing at this path, or no object with this id.',
  },
  method_not_allowed: {
    status: 405,
    retry: 'never',
    meaning: 'The path exists, but not for this method; `Allow` lists those it has.',
  },
  previous_response_not_found: {
    status: 400,
    retry: 'never',
    meaning: 'WebSocket only: `previous_response_id` names no response; send the whole conversation instead.',
  },
  upgrade_required: {
    status: 426,
    retry: 'never',
    meaning: 'There is no WebSocket at this path, or the path is only a WebSocket; use HTTP.',
  },
  request_too_large: {
    status: 413,
    retry: 'never',
    meaning: 'The body is larger than this gateway accepts.',
  },
  unsupported_media_type: {
    status: 415,
    retry: 'never',
    meaning: 'The content type is not one this endpoint reads.',
  },
  internal_error: { status: 500, retry: 'backoff', meaning: 'The gateway itself failed.' },
  provider_error: { status: 502, retry: 'backoff', meaning: 'The supplier failed or could not be reached.' },
  provider_overloaded: {
    status: 503,
    retry: 'backoff',
    meaning: 'The supplier is overloaded, or none can be used right now.',
  },
  temporarily_unavailable: {
    status: 503,
    retry: 'backoff',
    meaning:
      'The gateway cannot check limits or record usage right now, or has no memory for the body. You are not charged.',
  },
  shutting_down: { status: 503, retry: 'backoff', meaning: 'This gateway is about to stop.' },
  provider_timeout: { status: 504, retry: 'backoff', meaning: 'The supplier did not answer in time.' },
} as const satisfies Record<
  string,
  { status: number; retry: 'never' | 'after-header' | 'backoff'; meaning: string }
>

export type ErrorCode = keyof typeof ERROR_CODES
