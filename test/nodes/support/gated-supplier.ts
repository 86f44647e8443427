/** A supplier that answers only once its gate opens, and then uses exactly what every request reserved. */
export interface GatedSupplier {
  readonly url: string
  readonly releaseUrl: string
  stop(): Promise<void>
}

export function startGatedSupplier(): GatedSupplier {
  let gate = Promise.withResolvers<void>()
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
      if (new URL(request.url).pathname === '/release') {
        gate.resolve()
        gate = Promise.withResolvers()
        return new Response()
      }
      await gate.promise
      return Response.json(reply)
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return { url, releaseUrl: `${url}/release`, stop: () => server.stop(true) }
}
