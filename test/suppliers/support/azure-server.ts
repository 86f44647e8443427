import { askSandbox } from './sandbox-behind.ts'

/** Stands where an Azure resource does: knows its key, its deployments and its two generations of addresses. */
export interface AzureServer {
  readonly url: string
  readonly paths: readonly string[]
  stop(): Promise<void>
}

const DEPLOYMENT = 'sandbox-chat'
const DATED_VERSION = '2024-10-21'

export function startAzureServer(key: string, sandboxUrl: string): AzureServer {
  const paths: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      paths.push(pathname + search)
      if (request.headers.get('api-key') !== key || request.headers.has('authorization'))
        return Response.json(
          { error: { code: '401', message: 'Access denied due to invalid key.' } },
          { status: 401 },
        )
      const path = sandboxPath(pathname, new URLSearchParams(search).get('api-version'))
      if (path === null)
        return Response.json({ error: { code: '404', message: 'Resource not found' } }, { status: 404 })
      return askSandbox(sandboxUrl, path, await request.json())
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, paths, stop: () => server.stop(true) }
}

function sandboxPath(path: string, version: string | null): string | null {
  const isDated = version === DATED_VERSION
  if (path === '/openai/v1/chat/completions' && !isDated) return '/v1/chat/completions'
  if (path === '/openai/v1/embeddings' && !isDated) return '/v1/embeddings'
  if (path === '/openai/v1/responses' && !isDated) return '/v1/responses'
  if (path === `/openai/deployments/${DEPLOYMENT}/chat/completions` && isDated) return '/v1/chat/completions'
  return path === '/openai/responses' && isDated ? '/v1/responses' : null
}
