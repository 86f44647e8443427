/** The models that the pages name, as a vendor lists them. */
const MODELS = ['gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'gpt-4o', 'claude-opus-5', 'llama-3.1-70b', 'm-1']

/** Stands in for the vendors of the pages: knows their models, and lets the sandbox answer for them. */
export function startVendor(sandboxUrl: string) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (request.method === 'GET') return Response.json({ object: 'list', data: MODELS.map(describe) })
      const body = (await request.json()) as object
      return fetch(`${sandboxUrl}${pathname}`, {
        method: 'POST',
        headers: {
          authorization: request.headers.get('authorization') ?? '',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ ...body, model: 'sandbox-chat' }),
      })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

function describe(id: string) {
  return { id, object: 'model', created: 0, owned_by: 'vendor' }
}
