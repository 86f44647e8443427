import type { ErrorCode } from '../../errors/codes.ts'
import type { GatewayError, LimitName } from '../../errors/gateway-error.ts'

/** Why a request was answered with an error. */
export interface LoggedError {
  readonly code: ErrorCode
  /** The limit of the caller that was reached, if it was that. */
  readonly limit: LimitName | null
  /** null when the caller is unknown. */
  readonly accountId: string | null
}

export function loggedError({ code, limit }: GatewayError, accountId: string | null = null): LoggedError {
  return { code, limit, accountId }
}

/** One served request, in fields that can hold no secret: no headers, no query, no body. */
export interface RequestLine {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly durationMs: number
  /** Absent when it was answered. */
  readonly error?: LoggedError
}

/** How one attempt at a supplier failed. */
export interface AttemptLine {
  readonly requestId: string
  readonly supplier: string
  readonly credentialId: string
  readonly failure: string
  readonly status: number | null
}

/** Everything that may be written to the log. A closed set of shapes, so that nothing else can get in. */
export interface Log {
  request(line: RequestLine): void
  attemptFailed(line: AttemptLine): void
  notice(what: string, facts?: Readonly<Record<string, string | number | boolean>>): void
  /** A problem to look into. Anything that looks like a secret is removed from messages and stacks. */
  trouble(what: string, error: unknown, requestId?: string): void
}
