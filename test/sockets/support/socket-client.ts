/** A message of the gateway. */
export interface Message {
  readonly type: string
  readonly status?: number
  readonly stream_id?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly error?: { readonly code: string; readonly message: string; readonly param: string | null }
  readonly response?: ResponseBody
  readonly delta?: string
  readonly sequence_number?: number
}

export interface ResponseBody {
  readonly id: string
  readonly status: string
  readonly previous_response_id: string | null
  readonly output: readonly { readonly type: string; readonly id: string }[]
  readonly usage: { readonly total_tokens: number } | null
}

export type CreateFields = Readonly<Record<string, unknown>>

const LAST = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])
// Only a test that fails waits so long.
const PATIENCE_MS = 60_000

/** A WebSocket of the platform, connected to `/v1/responses`. */
export class SocketClient {
  readonly socket: WebSocket
  readonly messages: Message[] = []
  /** The code of its end. */
  readonly closed: Promise<number>
  #closeCode: number | null = null
  #read = 0
  #change = Promise.withResolvers<void>()

  private constructor(socket: WebSocket) {
    this.socket = socket
    const closed = Promise.withResolvers<number>()
    this.closed = closed.promise
    socket.onmessage = ({ data }) => {
      this.messages.push(JSON.parse(String(data)) as Message)
      this.#tellChange()
    }
    socket.onclose = ({ code }) => {
      this.#closeCode = code
      closed.resolve(code)
      this.#tellChange()
    }
  }

  static async connect(
    url: string,
    key: string,
    headers: Record<string, string> = {},
  ): Promise<SocketClient> {
    const options = { headers: { authorization: `Bearer ${key}`, ...headers } }
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/responses`, options as never)
    const client = new SocketClient(socket)
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve()
      socket.onerror = () => reject(new Error('the WebSocket did not open'))
    })
    socket.onerror = null
    return client
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  create(fields: CreateFields): void {
    this.send({ type: 'response.create', model: 'sandbox-chat', ...fields })
  }

  /** The next message that was not read yet. */
  async next(): Promise<Message> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error('no message came')), PATIENCE_MS)
    try {
      for (;;) {
        const { promise } = this.#change
        const message = this.messages[this.#read]
        if (message !== undefined) {
          this.#read += 1
          return message
        }
        if (this.#closeCode !== null) throw new Error(`closed with ${this.#closeCode}`)
        await Promise.race([promise, late.promise])
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** All messages up to the last one of a response, or up to an error. */
  async readResponse(): Promise<Message[]> {
    const messages: Message[] = []
    for (;;) {
      const message = await this.next()
      messages.push(message)
      if (LAST.has(message.type)) return messages
    }
  }

  /** Creates a response and gives it when it has ended. */
  async respond(fields: CreateFields): Promise<ResponseBody> {
    this.create(fields)
    const last = (await this.readResponse()).at(-1)
    if (last?.response === undefined) throw new Error(JSON.stringify(last))
    return last.response
  }

  /** Sends something that is refused, and gives the error. */
  async refusal(message: unknown): Promise<Message> {
    this.send(message)
    const last = (await this.readResponse()).at(-1)
    if (last?.type !== 'error') throw new Error(`not refused: ${JSON.stringify(last)}`)
    return last
  }

  async close(): Promise<void> {
    this.socket.close()
    await this.closed
  }

  #tellChange(): void {
    const { resolve } = this.#change
    this.#change = Promise.withResolvers()
    resolve()
  }
}

export function textOf({ output }: ResponseBody): string {
  const parts = output as unknown as readonly { content?: readonly { text?: string }[] }[]
  return parts.flatMap(({ content }) => (content ?? []).map(({ text }) => text ?? '')).join('')
}
