/** What a supplier does with a call: sends a text, or waits. */
export type Cue = string | Promise<unknown>

export interface CuedCall {
  readonly path: string
  /** Resolves when the gateway has let go of the call. */
  readonly isLeft: Promise<void>
}

/** A supplier that does as it is cued, and says when it has a whole request. */
export interface CuedSupplier {
  readonly url: string
  readonly calls: readonly CuedCall[]
  /** For every call from now on; `null` never responds, an object is a whole reply. */
  perform(script: readonly Cue[] | object | null): void
  /** Resolves when there have been so many calls since the last script. */
  called(count: number): Promise<CuedCall>
  stop(): Promise<void>
}

export function startCuedSupplier(): CuedSupplier {
  let script: readonly Cue[] | object | null = null
  const calls: CuedCall[] = []
  const waiting: { readonly count: number; resolve(call: CuedCall): void }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      await request.text()
      const left = Promise.withResolvers<void>()
      request.signal.addEventListener('abort', () => left.resolve())
      const call = { path: new URL(request.url).pathname, isLeft: left.promise }
      calls.push(call)
      for (const { count, resolve } of waiting) if (calls.length === count) resolve(call)
      if (script === null) await left.promise
      if (Array.isArray(script)) {
        return new Response(openBody(script), { headers: { 'content-type': 'text/event-stream' } })
      }
      return Response.json(script)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    calls,
    perform: (next) => {
      script = next
      calls.length = 0
      waiting.length = 0
    },
    called: (count) =>
      new Promise((resolve) => {
        const call = calls[count - 1]
        if (call === undefined) waiting.push({ count, resolve })
        else resolve(call)
      }),
    stop: () => server.stop(true),
  }
}

function openBody(script: readonly Cue[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const rest = script.values()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (const cue of rest) {
        if (typeof cue === 'string') return controller.enqueue(encoder.encode(cue))
        await cue
      }
      controller.close()
    },
  })
}
