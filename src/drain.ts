import type { HttpServer } from './edges/http-server/serve.ts'
import { GatewayError } from './errors/gateway-error.ts'
import type { LiveStreams } from './gateway/live-streams.ts'

/** How a gateway ends. */
export interface Leaving {
  /** How long new requests are still served, while balancers notice and clients move to new connections. */
  readonly serveMs: number
  /** How long what is under way may go on after that. */
  readonly finishMs: number
  /** Whether other processes go on listening on the port, so that nobody need be refused or told to stay away. */
  readonly isReplaced: boolean
}

/** Takes no new requests any more, and lets clients know before. */
export async function stopTaking(server: HttpServer, { serveMs, isReplaced }: Leaving): Promise<void> {
  if (serveMs > 0 || isReplaced) server.endConnections()
  if (serveMs > 0) await Bun.sleep(serveMs)
  // Closes idle connections too: by now those are left on which nothing was asked for a while.
  if (isReplaced) server.stopListening()
  else server.stopAccepting()
}

/** Lets what is under way finish up to the deadline, then ends the rest with the family's own error. */
export async function drain(server: HttpServer, streams: LiveStreams, deadlineMs: number): Promise<void> {
  await waitUntil(() => server.pending === 0, deadlineMs)
  streams.failAll(new GatewayError('shutting_down', 'This gateway is shutting down.'))
  server.endWaiting()
  await waitUntil(() => server.pending === 0, FAREWELL_MS)
  await server.close()
}

// After the last streams were told, their error events still have to leave.
const FAREWELL_MS = 200
const POLL_MS = 20

async function waitUntil(isReached: () => boolean, deadlineMs: number): Promise<void> {
  const endMs = performance.now() + deadlineMs
  while (!isReached() && performance.now() < endMs) await Bun.sleep(POLL_MS)
}
