import type { HttpServer } from '../edges/http-server/serve.ts'
import type { Settings } from '../edges/settings/settings.ts'
import { GatewayError } from '../errors/gateway-error.ts'
import type { LiveStreams } from '../serve/delivery/live-streams.ts'
import type { Log } from '../serve/ports/log.ts'
import type { FirstUser } from './supply/first-start.ts'

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

/**
 * A fault that nobody caught belongs to one request, or to a job that comes round again. It is written down and
 * everything else goes on: to end the process would break off every stream that it carries.
 */
export function outliveStrayFaults(log: Log): void {
  process.on('uncaughtException', (fault) => log.trouble('a fault that nobody caught', fault))
  process.on('unhandledRejection', (fault) => log.trouble('a failure that nobody awaited', fault))
}

/** What a start has made. Secrets are shown once: on any later start they are null. */
export interface Started {
  readonly url: string
  readonly newOperatorToken: string | null
  readonly newKey: string | null
  readonly newUser: FirstUser | null
  readonly hasSandbox: boolean
}

/** What a person needs to know after a start; only secrets that this very start made are shown. */
export function greeting(started: Started, settings: Settings): string {
  const { url } = started
  const lines = [`Turnpike listens on ${url}`, `  clients    ${url}/v1`, `  operators  ${url}/operator/v1`]
  lines.push(`  console    ${url}/console/`, ...newSecrets(started, settings))
  const newKey = settings.bootstrapKey === null ? started.newKey : null
  const key = newKey ?? (settings.bootstrapKey === null ? '$API_KEY' : '$TURNPIKE_BOOTSTRAP_KEY')
  if (started.hasSandbox) lines.push('', 'Try it:', firstRequest(url, key))
  return `${lines.join('\n')}\n`
}

/** They are shown once, so even a start that fails later shows what it has made. */
export function newSecrets(
  { newOperatorToken, newUser, newKey }: Omit<Started, 'url' | 'hasSandbox'>,
  { bootstrapKey }: Settings,
): string[] {
  const lines: string[] = []
  if (newOperatorToken !== null) lines.push('', `Operator token (shown once): ${newOperatorToken}`)
  if (newUser !== null) {
    lines.push('', `Console user ${newUser.email}, password (shown once): ${newUser.password}`)
  }
  if (newKey !== null && bootstrapKey === null) lines.push('', `API key (shown once): ${newKey}`)
  return lines
}

function firstRequest(url: string, key: string): string {
  const body = JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] })
  return `curl ${url}/v1/chat/completions -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' -d '${body}'`
}
