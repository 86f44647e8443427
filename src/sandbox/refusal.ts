/** Why a simulated supplier says no; each face has its own words for these. */
export type RefusalKind =
  | 'bad-request'
  | 'bad-key'
  | 'unknown-model'
  | 'unknown-path'
  | 'rate-limited'
  | 'broken'

export interface RefusalDetails {
  readonly status?: number
  /** The request field at fault, as the face spells it. */
  readonly field?: string
  /** The face's own word for this very problem, where the kind alone does not say it. */
  readonly code?: string
}

export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly status: number
  readonly field: string | null
  readonly code: string | null

  constructor(kind: RefusalKind, message: string, details: RefusalDetails = {}) {
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
} as const satisfies Record<RefusalKind, number>

/** The refusal a real supplier would have meant by this status. */
export function refusalForStatus(status: number): Refusal {
  return new Refusal(kindForStatus(status), `The sandbox was told to answer ${status}.`, { status })
}

function kindForStatus(status: number): RefusalKind {
  if (status === 401 || status === 403) return 'bad-key'
  if (status === 404) return 'unknown-model'
  if (status === 429) return 'rate-limited'
  return status >= 500 ? 'broken' : 'bad-request'
}
