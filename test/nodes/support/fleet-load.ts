import { chatRequest } from '../../robustness/support/chat-load.ts'
import { MODEL } from './fleet.ts'

const CALM_PAUSE_MS = 150

export interface LoadOptions {
  readonly key: string
  readonly clients: number
  /** Of every client, between two requests. */
  readonly pauseMs?: number
  readonly body?: object
}

export interface Trouble {
  readonly url: string
  readonly what: string
  /** The gateway's own error text, to find the cause by. */
  readonly message?: string
  readonly atMs: number
}

/** Clients that go from node to node and never give up: what fails at one is asked of the next. */
export class FleetLoad {
  /** Ids of requests whose answer came whole. */
  readonly answered: string[] = []
  /** When each of them was answered. */
  readonly answeredAtMs: number[] = []
  readonly troubles: Trouble[] = []
  readonly #urls: () => readonly string[]
  readonly #options: LoadOptions
  readonly #clients: Promise<void>[]
  #pauseMs: number
  #isOver = false

  /** The addresses are asked for each time, because a node that comes back may have another. */
  constructor(urls: () => readonly string[], options: LoadOptions) {
    this.#urls = urls
    this.#options = options
    this.#pauseMs = options.pauseMs ?? 0
    this.#clients = Array.from({ length: options.clients }, (_, index) => this.#goOn(index))
  }

  /** Lets every client finish what it asked for and no more. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }

  /** Waits, with a few requests under way: while nothing changes, more of them prove nothing more. */
  async calmFor(ms: number): Promise<void> {
    this.#pauseMs = CALM_PAUSE_MS
    await Bun.sleep(ms)
    this.#pauseMs = this.#options.pauseMs ?? 0
  }

  troublesSince(atMs: number): Trouble[] {
    return this.troubles.filter((trouble) => trouble.atMs >= atMs)
  }

  async #goOn(client: number): Promise<void> {
    for (let turn = client; !this.#isOver; turn += 1) {
      const urls = this.#urls()
      const url = urls[turn % urls.length] ?? ''
      const trouble = await this.#ask(url, turn % 2 === 0)
      if (trouble !== null) this.troubles.push({ url, ...trouble, atMs: performance.now() })
      if (this.#pauseMs > 0 || trouble !== null) await Bun.sleep(Math.max(this.#pauseMs, 5))
    }
  }

  async #ask(url: string, stream: boolean): Promise<Pick<Trouble, 'what' | 'message'> | null> {
    const { key, body = {} } = this.#options
    try {
      const request = chatRequest({ model: MODEL, stream, max_tokens: 10, ...body }, key)
      const response = await fetch(`${url}/v1/chat/completions`, request)
      const text = await response.text()
      if (!response.ok) return readError(response.status, text)
      if (stream && !text.endsWith('data: [DONE]\n\n')) return { what: 'cut off', message: text.slice(-300) }
      this.answered.push(response.headers.get('x-request-id') ?? '')
      this.answeredAtMs.push(performance.now())
      return null
    } catch (error) {
      return { what: error instanceof Error ? error.name : String(error) }
    }
  }
}

function readError(status: number, text: string): Pick<Trouble, 'what' | 'message'> {
  const { code, message } = JSON.parse(text).error
  return { what: `${status} ${code}`, message }
}
