import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/test-gateway.ts'

/** A settlement as the operator API writes it, as far as it is looked at here. */
export interface Settled {
  readonly model: string
  readonly client_format: string
  readonly supplier_format: string | null
  readonly stream: boolean
  readonly outcome: string
  readonly attempts: readonly unknown[]
  readonly notes: readonly string[]
}

/** What passed through the gateway during a run. */
export interface Traffic {
  readonly settled: readonly Settled[]
  /** How many requests came over a WebSocket. */
  readonly framed: number
  /** How many compacted a conversation at this gateway. */
  readonly compacted: number
  /** Answers of the gateway with a status of 400 or more. */
  readonly refusals: readonly string[]
  /** What went wrong inside. */
  readonly troubles: readonly string[]
}

/** Begins to watch, and gives what to call when the run is over. */
export function watchTraffic(gateway: TestGateway, keyIds: readonly string[]): () => Promise<Traffic> {
  const { log } = gateway
  const [requestsBefore, troublesBefore] = [log.requests.length, log.troubles.length]
  return async () => {
    const asked = log.requests.slice(requestsBefore).filter(({ path }) => !path.startsWith('/operator/'))
    // Agents open a connection early with a request for nothing, and take any answer.
    const meant = asked.filter(({ method }) => method !== 'HEAD')
    const refused = meant.filter(({ status }) => status >= 400)
    const isFramed = ({ method }: { readonly method: string }) => method === 'WEBSOCKET'
    const [framed, posted] = [meant.filter(isFramed), meant.filter(isGeneration)]
    const refusedPosts = refused.filter((request) => !isFramed(request)).length
    // The first message of a connection may only prewarm it, which is not settled.
    const connections = meant.filter(
      ({ method, path }) => method === 'GET' && path === '/v1/responses',
    ).length
    const least = posted.length - refusedPosts + Math.max(0, framed.length - connections)
    const settled = await readSettled(gateway, keyIds, least)
    return {
      settled,
      framed: settled.length - (posted.length - refusedPosts),
      compacted: settled.filter(({ notes }) => notes.includes('compaction')).length,
      refusals: refused.map(({ method, path, status }) => `${method} ${path} was answered with ${status}`),
      troubles: log.troubles.slice(troublesBefore),
    }
  }
}

function isGeneration({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'POST' && !/count_?tokens$/i.test(path)
}

function readSettled(
  gateway: TestGateway,
  keyIds: readonly string[],
  count: number,
): Promise<readonly Settled[]> {
  return eventually(`${count} settlements`, async () => {
    const pages = await Promise.all(
      keyIds.map((id) =>
        gateway.operator<{ data: readonly Settled[] }>('GET', `/settlements?key=${id}&limit=200`),
      ),
    )
    const settled = pages.flatMap(({ data }) => data)
    return settled.length >= count && settled
  })
}
