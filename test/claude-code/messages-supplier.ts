/** One request as the supplier got it. */
export interface SeenRequest {
  readonly path: string
  readonly headers: Headers
  readonly text: string
}

type Answering = (body: Record<string, unknown>, seen: SeenRequest) => Response

/** A supplier of the messages format that shows what it was sent, and answers as the test says. */
export interface MessagesSupplier {
  readonly url: string
  readonly seen: SeenRequest[]
  answer: Answering
  stop(): Promise<void>
}

export const REPLY = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'upstream',
  content: [{ type: 'text', text: 'pong' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 1 },
}

export function refusal(status: number, error: object): Response {
  return Response.json({ type: 'error', error, request_id: 'req_vendor12345' }, { status })
}

export function startMessagesSupplier(): MessagesSupplier {
  const seen: SeenRequest[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    fetch: async (request) => {
      const text = await request.text()
      const one = { path: new URL(request.url).pathname, headers: request.headers, text }
      seen.push(one)
      return supplier.answer(JSON.parse(text), one)
    },
  })
  const supplier: MessagesSupplier = {
    url: `http://127.0.0.1:${server.port}`,
    seen,
    answer: () => Response.json(REPLY),
    stop: () => server.stop(true),
  }
  return supplier
}
