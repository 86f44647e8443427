/** Why a simulated supplier says no; each face has its own words for these. */
export type SandboxErrorKind =
  | 'bad-request'
  | 'bad-key'
  | 'unknown-model'
  | 'unknown-path'
  | 'rate-limited'
  | 'broken'

export interface SandboxErrorDetails {
  readonly status?: number
  /** The request field at fault, as the face spells it. */
  readonly field?: string
  /** The face's own word for this very problem, where the kind alone does not say it. */
  readonly code?: string
}

export class SandboxError extends Error {
  readonly kind: SandboxErrorKind
  readonly status: number
  readonly field: string | null
  readonly code: string | null

  constructor(kind: SandboxErrorKind, message: string, details: SandboxErrorDetails = {}) {
    super(message)
    this.kind = kind
    this.status = details.status ?? STATUSES[kind]
    this.field = details.field ?? null
    this.code = details.code ?? null
  }
}

const STATUSES = {
  'bad-request': 400,
  'bad-key': 401,
  'unknown-model': 404,
  'unknown-path': 404,
  'rate-limited': 429,
  broken: 500,
} as const satisfies Record<SandboxErrorKind, number>

/** The refusal a real supplier would have meant by this status. */
export function errorForStatus(status: number): SandboxError {
  return new SandboxError(kindForStatus(status), `The sandbox was configured to answer ${status}.`, {
    status,
  })
}

function kindForStatus(status: number): SandboxErrorKind {
  if (status === 401 || status === 403) return 'bad-key'
  if (status === 404) return 'unknown-model'
  if (status === 429) return 'rate-limited'
  return status >= 500 ? 'broken' : 'bad-request'
}
