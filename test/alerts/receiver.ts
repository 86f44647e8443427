import { createHmac } from 'node:crypto'

/** What a webhook was sent, its signature taken apart. */
export interface ReceivedCall {
  readonly body: {
    readonly id: string
    readonly kind: string
    readonly account_id: string | null
    readonly at: string
    readonly data: Readonly<Record<string, unknown>>
  }
  /** With its query. */
  readonly path: string
  readonly text: string
  readonly timestamp: number
  readonly signature: string
}

/** A webhook receiver as a customer would write one. */
export interface Receiver {
  readonly url: string
  readonly calls: readonly ReceivedCall[]
  /** How calls are answered from now on. */
  answerWith(answer: (call: ReceivedCall) => Response | Promise<Response>): void
  stop(): Promise<void>
}

export function startReceiver(): Receiver {
  const calls: ReceivedCall[] = []
  let answer: (call: ReceivedCall) => Response | Promise<Response> = () => new Response('ok')
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const text = await request.text()
      const header = request.headers.get('turnpike-signature') ?? ''
      const [, timestamp = '', signature = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
      const { pathname, search } = new URL(request.url)
      const call = {
        body: JSON.parse(text),
        path: pathname + search,
        text,
        timestamp: Number(timestamp),
        signature,
      }
      calls.push(call)
      return answer(call)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/alerts`,
    calls,
    answerWith: (next) => {
      answer = next
    },
    stop: () => server.stop(true),
  }
}

export function isSignedWith({ timestamp, text, signature }: ReceivedCall, secret: string): boolean {
  return createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex') === signature
}
