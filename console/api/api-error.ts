/** An error response from the gateway, or a failure to reach it. */
export class ApiError extends Error {
  /** 0 without a response. */
  readonly status: number
  readonly code: string
  /** The API's name of the invalid field. */
  readonly param: string | null
  readonly retryAfterSeconds: number | null
  readonly requestId: string | null

  constructor(message: string, details: Partial<Omit<ApiError, 'message' | 'name'>> = {}) {
    super(message)
    this.name = 'ApiError'
    this.status = details.status ?? 0
    this.code = details.code ?? 'unreachable'
    this.param = details.param ?? null
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
    this.requestId = details.requestId ?? null
  }
}

interface Envelope {
  readonly error?: { readonly message?: string; readonly code?: string; readonly param?: string | null }
}

const AWAY: readonly number[] = [502, 503, 504]

/** Reads the error envelope. A response without one, for example from a proxy, also becomes a clear error. */
export async function readApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const { error } = parseEnvelope(text)
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  // A proxy answers in place of a gateway that is away.
  const isAway = error === undefined && AWAY.includes(response.status)
  const plain = isAway
    ? `The gateway does not answer at present (status ${response.status}). Try again shortly.`
    : `The gateway returned status ${response.status}.`
  return new ApiError(error?.message ?? plain, {
    status: response.status,
    code: error?.code ?? (isAway ? 'unreachable' : 'unexpected_answer'),
    param: error?.param ?? null,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    requestId: response.headers.get('x-request-id'),
  })
}

function parseEnvelope(text: string): Envelope {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
