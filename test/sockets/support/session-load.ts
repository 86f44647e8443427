import { SocketClient } from './socket-client.ts'

/** One session: a key of its own, and how many responses it asked for and got. */
export class Session {
  readonly keyId: string
  sent = 0
  answered = 0
  closeCode: number | null = null
  readonly troubles: string[] = []
  readonly #client: SocketClient
  #isOver = false
  readonly ended: Promise<void>

  constructor(keyId: string, client: SocketClient) {
    this.keyId = keyId
    this.#client = client
    this.ended = this.#run()
  }

  /** Lets the running response end. */
  rest(): void {
    this.#isOver = true
  }

  close(): void {
    this.#client.socket.terminate()
  }

  /** Creates one response after another, each continuing from the one before. */
  async #run(): Promise<void> {
    let previousId: string | null = null
    try {
      while (!this.#isOver) {
        this.sent += 1
        const fields = { input: `say: turn ${this.sent}`, store: false, previous_response_id: previousId }
        const { id } = await this.#client.respond(fields)
        this.answered += 1
        previousId = id
      }
    } catch (trouble) {
      this.troubles.push(String(trouble))
    }
    if (this.#isOver) return
    this.closeCode = await this.#client.closed
  }
}

interface Operator {
  readonly url: string
  operator<T>(method: string, path: string, body?: unknown): Promise<T>
}

const AT_ONCE = 20

/** Opens so many sessions, each with a key of its own. */
export async function openSessions(gateway: Operator, count: number): Promise<Session[]> {
  const { data } = await gateway.operator<{ data: { id: string }[] }>('GET', '/accounts')
  const accountId = data[0]?.id ?? ''
  const opened: { keyId: string; client: SocketClient }[] = []
  const open = async () => {
    const { id, secret } = await gateway.operator<{ id: string; secret: string }>(
      'POST',
      `/accounts/${accountId}/keys`,
      { name: 'session' },
    )
    opened.push({ keyId: id, client: await SocketClient.connect(gateway.url, secret) })
  }
  for (let from = 0; from < count; from += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, open))
  }
  // Only when all are open, so that they work at the same time.
  return opened.map(({ keyId, client }) => new Session(keyId, client))
}
