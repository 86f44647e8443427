import { BOOTSTRAP_KEY } from './gateway-process.ts'

export function chatRequest(fields: Readonly<Record<string, unknown>>, key = BOOTSTRAP_KEY): RequestInit {
  return {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'ping' }], ...fields }),
  }
}

export interface LoadOptions {
  readonly model: string
  readonly clients: number
  /** Of every client, between two requests. */
  readonly pauseMs?: number
}

/** Clients that ask again and again until the gateway is gone; half of them take their answers as streams. */
export class ChatLoad {
  /** Ids of requests whose answer came whole. */
  readonly answered: string[] = []
  /** What went wrong for a client; it asks no more. */
  readonly troubles: string[] = []
  readonly #clients: Promise<void>[]
  #isOver = false

  constructor(url: string, options: LoadOptions) {
    this.#clients = Array.from({ length: options.clients }, (_, index) =>
      this.#ask(url, options, index % 2 === 0),
    )
  }

  /** Resolves when every client has met the end of the gateway. */
  async ended(): Promise<void> {
    await Promise.all(this.#clients)
  }

  /** Lets every client finish what it asked for and no more. */
  stop(): Promise<void> {
    this.#isOver = true
    return this.ended()
  }

  async #ask(url: string, { model, pauseMs = 0 }: LoadOptions, stream: boolean): Promise<void> {
    try {
      while (!this.#isOver) {
        const response = await fetch(`${url}/v1/chat/completions`, chatRequest({ model, stream }))
        const text = await response.text()
        const isWhole = stream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}')
        if (response.status !== 200 || !isWhole) throw new Error(`cut off: ${response.status} ${text}`)
        this.answered.push(response.headers.get('x-request-id') ?? '')
        if (pauseMs > 0) await Bun.sleep(pauseMs)
      }
    } catch (error) {
      // A gateway that was killed is what most clients here wait for.
      this.troubles.push(String(error))
    }
  }
}
