/** The fields of a chat-completion request that tests set; anything else may be added. */
export type ChatFields = Readonly<Record<string, unknown>>

export interface ChatOptions {
  readonly key: string
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

export interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly code: string
    readonly param: string | null
  }
}

/** Sends a chat-completion request; what is not given is the smallest request there is. */
export function chat(url: string, fields: ChatFields, options: ChatOptions): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${options.key}`,
      'content-type': 'application/json',
      ...options.headers,
    },
    body: JSON.stringify({
      model: 'sandbox-chat',
      messages: [{ role: 'user', content: 'ping' }],
      ...fields,
    }),
    ...(options.signal && { signal: options.signal }),
  })
}

export function say(text: string): ChatFields {
  return { messages: [{ role: 'user', content: `say: ${text}` }] }
}

export async function readError(response: Response): Promise<ErrorBody['error']> {
  return ((await response.json()) as ErrorBody).error
}

/** Status and error code together, since both are the contract. */
export async function refusalOf(response: Response): Promise<readonly [status: number, code: string]> {
  return [response.status, (await readError(response)).code]
}

const LIMIT_HEADERS = ['limit', 'remaining', 'reset'] as const

/** `[limit, remaining, reset]` as they stand in the headers, null for one that is absent. */
export function limitsOf(response: Response, metric: 'requests' | 'tokens'): (number | null)[] {
  return LIMIT_HEADERS.map((name) => {
    const value = response.headers.get(`x-ratelimit-${name}-${metric}`)
    return value === null ? null : Number(value)
  })
}
