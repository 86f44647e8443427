import type { Endpoint } from './ports/exchange.ts'
import type { Storage } from './ports/storage.ts'

export interface HealthParts {
  readonly storage: Pick<Storage, 'ping'>
  readonly isClosing: () => boolean
}

/** `/healthz`: the process lives. `/readyz`: it can serve, so that a balancer may send it requests. */
export function healthEndpoints({ storage, isClosing }: HealthParts): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      isServedWhileClosing: true,
      handle: () => Response.json({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      isServedWhileClosing: true,
      handle: async () => {
        if (isClosing()) return notReady('shutting down')
        const isReachable = await storage.ping().then(
          () => true,
          () => false,
        )
        return isReachable ? Response.json({ status: 'ready' }) : notReady('the database does not answer')
      },
    },
  ]
}

function notReady(reason: string): Response {
  return Response.json({ status: 'not ready', reason }, { status: 503 })
}
