import type { ErrorCode } from '../../errors/codes.ts'
import type { GatewayError, LimitName } from '../../errors/gateway-error.ts'
import type { Account } from '../../vocabulary/account.ts'
import type { ApiKey } from '../../vocabulary/api-key.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import type { RequestTrace } from './request-trace.ts'

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

/** What the steps of a request learn about it, for its log line and for telemetry. */
export interface RequestFindings {
  /** Whose key was sent, also of one that is disabled or expired; set when the key is found. */
  keyHolder?: { readonly key: ApiKey; readonly account: Account } | undefined
  /** Only of a model that exists. */
  modelId?: string
  settlement?: Settlement
  /** Absent when it was answered. */
  error?: LoggedError
  /** Absent when requests are not traced. */
  trace?: RequestTrace
}

/** One served request, in fields that can hold no secret: no headers, no query, no body. */
export interface RequestLine {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly durationMs: number
  /** Absent for bytes that are not a request. */
  readonly findings?: RequestFindings
}

/** How one attempt at a supplier failed. */
export interface AttemptLine {
  readonly requestId: string
  readonly supplier: string
  readonly credentialId: string
  readonly failure: string
  readonly status: number | null
  /** Absent when requests are not traced. */
  readonly trace?: RequestTrace
}

/** Everything that may be written to the log. A closed set of shapes, so that nothing else can get in. */
export interface Log {
  request(line: RequestLine): void
  attemptFailed(line: AttemptLine): void
  notice(what: string, facts?: Readonly<Record<string, string | number | boolean>>): void
  /** A problem to look into. Anything that looks like a secret is removed from messages and stacks. */
  trouble(what: string, error: unknown, requestId?: string): void
}
