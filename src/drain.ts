import type { HttpServer } from './edges/http-server/serve.ts'
import { GatewayError } from './errors/gateway-error.ts'
import type { LiveStreams } from './gateway/live-streams.ts'

/** Lets what is under way finish up to the deadline, then ends the rest with the family's own error. */
export async function drain(server: HttpServer, streams: LiveStreams, deadlineMs: number): Promise<void> {
  server.stopAccepting()
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
