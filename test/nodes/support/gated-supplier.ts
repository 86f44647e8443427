/**
 * A supplier that answers only once its gate opens, and then uses exactly what every request reserved. The gate opens
 * when it was asked for and as many wait as were named.
 */
export interface GatedSupplier {
  readonly url: string
  readonly releaseUrl: string
  stop(): Promise<void>
}

export function startGatedSupplier(): GatedSupplier {
  let gate = Promise.withResolvers<void>()
  let waiting = 0
  let openAt = Number.POSITIVE_INFINITY
  // A request may be admitted and still be on its way here when all others are refused.
  const openWhenFull = () => {
    if (waiting < openAt) return
    gate.resolve()
    gate = Promise.withResolvers()
    waiting = 0
    openAt = Number.POSITIVE_INFINITY
  }
  const reply = {
    id: 'gated',
    object: 'chat.completion',
    created: 1,
    model: 'gated-chat',
    choices: [{ index: 0, message: { role: 'assistant', content: 'done' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 10, total_tokens: 11 },
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/release') {
        openAt = Number(searchParams.get('holders') ?? 0)
        openWhenFull()
        return new Response()
      }
      const opened = gate.promise
      waiting += 1
      openWhenFull()
      await opened
      return Response.json(reply)
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return { url, releaseUrl: `${url}/release`, stop: () => server.stop(true) }
}
