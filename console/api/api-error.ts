/** A refusal of the gateway, or of the way to it. */
export class ApiError extends Error {
  /** 0 when no answer came. */
  readonly status: number
  readonly code: string
  /** The field that is wrong, as the API names it. */
  readonly param: string | null
  readonly retryAfterSeconds: number | null
  readonly requestId: string | null

  constructor(message: string, told: Partial<Omit<ApiError, 'message' | 'name'>> = {}) {
    super(message)
    this.name = 'ApiError'
    this.status = told.status ?? 0
    this.code = told.code ?? 'unreachable'
    this.param = told.param ?? null
    this.retryAfterSeconds = told.retryAfterSeconds ?? null
    this.requestId = told.requestId ?? null
  }
}

interface Envelope {
  readonly error?: { readonly message?: string; readonly code?: string; readonly param?: string | null }
}

/** Reads the error envelope; an answer without one, as a proxy may give, still becomes a clear error. */
export async function readApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const { error } = parseEnvelope(text)
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(error?.message ?? `The gateway answered with status ${response.status}.`, {
    status: response.status,
    code: error?.code ?? 'unexpected_answer',
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
