import { ApiError } from '../../api/api-error.ts'

export interface Explanation {
  readonly title: string
  readonly message: string
  /** To quote when asking for help. */
  readonly requestId: string | null
}

const TITLES: Readonly<Record<string, string>> = {
  unreachable: 'No connection',
  rate_limit_exceeded: 'Too many attempts',
  permission_denied: 'Not allowed',
  not_found: 'Not found here',
  invalid_request: 'Not accepted',
  auth_required: 'You are signed out',
  auth_invalid: 'Does not match',
  shutting_down: 'The gateway is restarting',
}

// The gateway does not tell strangers whether something exists, and neither can this.
const ELSEWHERE =
  ' It may have been deleted, or belong to another account: then choose that account above, or ask its owner to add you.'

/** A readable message for any thrown value. */
export function explainError(error: unknown): Explanation {
  if (!(error instanceof ApiError)) {
    const message = error instanceof Error ? error.message : String(error)
    return { title: 'Something went wrong', message, requestId: null }
  }
  const wait = error.retryAfterSeconds
  const advice = wait === null ? '' : ` Try again in ${wait === 1 ? 'a second' : `${wait} seconds`}.`
  return {
    title: TITLES[error.code] ?? 'Something went wrong',
    message: `${error.message}${error.code === 'not_found' ? ELSEWHERE : advice}`,
    requestId: error.status >= 500 ? error.requestId : null,
  }
}
