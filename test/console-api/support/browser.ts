export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as a page without types reads them.
  readonly body: any
}

export interface CallOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the token the session goes with; null sends none. */
  readonly csrf?: string | null
}

export const CONSOLE = '/console/api'

/** As much of a browser as the console's API can tell: it keeps cookies, and sends the token it was last given. */
export class Browser {
  readonly #url: string
  readonly cookies = new Map<string, string>()
  csrf: string | null = null

  constructor(url: string) {
    this.#url = url
  }

  get session(): string | null {
    return this.cookies.get('turnpike_session') ?? null
  }

  /** `call('POST /sign-out')`, behind `/console/api`. */
  call(call: string, options: CallOptions = {}): Promise<Answer> {
    const [method = '', path = ''] = call.split(' ')
    return this.request(`${method} ${CONSOLE}${path}`, options)
  }

  async request(call: string, options: CallOptions = {}): Promise<Answer> {
    const [method = '', path = ''] = call.split(' ')
    const csrf = options.csrf === undefined ? this.csrf : options.csrf
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${this.#url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie !== '' && { cookie }),
        ...(csrf !== null && { 'x-csrf-token': csrf }),
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    })
    this.#keepCookies(response.headers)
    const text = await response.text()
    const body: unknown = text.startsWith('{') ? JSON.parse(text) : text
    if (isSession(body)) this.csrf = body.csrf_token
    return { status: response.status, headers: response.headers, body }
  }

  /** Opens the page, which asks who is there. */
  async open(): Promise<this> {
    await this.call('GET /session')
    return this
  }

  async signIn(email: string, password: string, code?: string): Promise<Answer> {
    await this.open()
    return this.call('POST /sign-in', { body: { email, password, ...(code !== undefined && { code }) } })
  }

  #keepCookies(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0\b/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

function isSession(body: unknown): body is { csrf_token: string } {
  return typeof body === 'object' && body !== null && 'csrf_token' in body
}
