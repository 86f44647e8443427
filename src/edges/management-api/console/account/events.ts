import type { Follower, LiveEvent } from '../../../../manage/ports/console.ts'
import type { Exchange, Reply } from '../../../../serve/ports/exchange.ts'
import { raw } from '../../endpoint.ts'
import { ACCOUNT_PATH, type AccountVisit, consoleDefiner } from '../console-endpoint.ts'
import { type AccountApiParts, concealJson } from './parts.ts'

// A reader that falls further behind is disconnected. It reconnects and reads the current state.
const MAX_UNREAD_BYTES = 64 * 1024
// An event, because browsers do not tell pages of comments.
const HEARTBEAT = 'event: beat\ndata: {}\n\n'
const OPENING = `retry: 3000\n${HEARTBEAT}`

const define = consoleDefiner<AccountApiParts>()

/** Live events of an account. */
export const accountEventEndpoints = [
  define({
    method: 'GET',
    path: `${ACCOUNT_PATH}/events`,
    id: 'consoleFollowAccount',
    tag: 'Console: account',
    summary: 'Follow the events of an account',
    access: 'see-account',
    answer: raw({
      description: 'Events, as they happen.',
      contentType: 'text/event-stream',
      example: 'event: change\ndata: {"kinds":["keys"]}\n\n',
    }),
    handle: async (parts, { visit, exchange }) => {
      await parts.operations.findAccount(visit.accountId)
      // A HEAD request would never close its stream.
      if (exchange.method === 'HEAD') return replyWith('')
      return replyWith(new EventStream(parts, visit, exchange).open())
    },
  }),
]

function replyWith(body: Reply['body']): Reply {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
  return { status: 200, headers, body }
}

class EventStream implements Follower {
  readonly accountId: string
  readonly #parts: AccountApiParts
  readonly #visit: AccountVisit
  readonly #exchange: Exchange
  /** A copy, because those of the request may be gone when the session is checked again. */
  readonly #headers: Headers
  readonly #encoder = new TextEncoder()
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null

  constructor(parts: AccountApiParts, visit: AccountVisit, exchange: Exchange) {
    this.accountId = visit.accountId
    this.#parts = parts
    this.#visit = visit
    this.#exchange = exchange
    this.#headers = new Headers({ cookie: exchange.headers.get('cookie') ?? '' })
  }

  open(): ReadableStream<Uint8Array> {
    const unfollow = this.#parts.account.events.follow(this)
    this.#exchange.onLeave(unfollow)
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
          this.#send(OPENING)
        },
        cancel: unfollow,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
    )
  }

  take({ kind, data }: LiveEvent): boolean {
    if ((this.#controller?.desiredSize ?? 0) <= 0) return false
    this.#send(`event: ${kind}\ndata: ${JSON.stringify(concealJson(this.#parts, this.#visit, data))}\n\n`)
    return true
  }

  beat(): void {
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#send(HEARTBEAT)
  }

  async hasAccess(): Promise<boolean> {
    const visitor = await this.#parts.door.findVisitor(this.#headers)
    if (visitor?.user.id !== this.#visit.visitor.user.id) return false
    if (visitor.user.isOperator) return true
    return visitor.memberships.some(({ accountId }) => accountId === this.accountId)
  }

  end(): void {
    try {
      this.#controller?.close()
    } catch {
      // The client has already closed it.
    }
    this.#controller = null
  }

  #send(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text))
  }
}
