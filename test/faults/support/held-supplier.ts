import { chunkOf, DONE, FINISH_CHUNK } from '../../support/scripted-supplier.ts'

/** A supplier of chat completions that holds the end of each answer back. */
export interface HeldSupplier {
  readonly url: string
  /** How many calls have come. */
  readonly calls: number
  /** How long each answer is held back; never on its own when it gives null. */
  delayMs: () => number | null
  /** Ends all that is held back, and holds nothing back any more. */
  release(): void
  stop(): Promise<void>
}

const USAGE = { prompt_tokens: 10, completion_tokens: 40, total_tokens: 50 }
const TEXT = 'so many words that they cost something '.repeat(4)

export function startHeldSupplier(): HeldSupplier {
  const released = Promise.withResolvers<void>()
  const held = {
    calls: 0,
    delayMs: (): number | null => null,
  }
  const wait = () => {
    const delayMs = held.delayMs()
    return delayMs === null ? released.promise : Promise.race([released.promise, Bun.sleep(delayMs)])
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      held.calls += 1
      const { stream } = (await request.json()) as { stream?: boolean }
      if (stream) return streamed(wait())
      await wait()
      return Response.json(wholeAnswer())
    },
  })
  return Object.assign(held, {
    url: `http://127.0.0.1:${server.port}`,
    release: () => released.resolve(),
    stop: () => server.stop(true),
  })
}

function streamed(end: Promise<unknown>): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(encoder.encode(chunkOf({ role: 'assistant', content: TEXT })))
      await end
      const usage = chunkOf({}, { choices: [], usage: USAGE })
      const rest = chunkOf({ content: TEXT }) + FINISH_CHUNK + usage + DONE
      try {
        controller.enqueue(encoder.encode(rest))
        controller.close()
      } catch {
        // The gateway is gone.
      }
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

function wholeAnswer(): object {
  const message = { role: 'assistant', content: TEXT }
  return {
    id: 'held',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: USAGE,
  }
}
