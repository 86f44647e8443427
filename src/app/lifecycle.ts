import type { HttpServer } from '../edges/http-server/serve.ts'
import { GatewayError } from '../errors/gateway-error.ts'
import type { LiveStreams } from '../serve/delivery/live-streams.ts'
import type { Log } from '../serve/ports/log.ts'
import type { BackgroundRuns } from '../serve/state/background/background-runs.ts'
import type { SteadyClock } from '../vocabulary/clock.ts'

/** How a gateway shuts down. */
export interface Leaving {
  /** How long new requests are still served, while balancers notice and clients move to new connections. */
  readonly serveMs: number
  /** How long running requests may take after that. */
  readonly finishMs: number
  /** Whether other processes keep listening on the port, so that no client is refused. */
  readonly isReplaced: boolean
}

/** Stops accepting requests, after clients were asked to reconnect. */
export async function stopTaking(server: HttpServer, { serveMs, isReplaced }: Leaving): Promise<void> {
  if (serveMs > 0 || isReplaced) server.endConnections()
  if (serveMs > 0) await Bun.sleep(serveMs)
  // Also closes connections that have been idle since.
  if (isReplaced) server.stopListening()
  else server.stopAccepting()
}

/** The requests that may still run when a gateway shuts down. */
export interface Unfinished {
  readonly server: Pick<HttpServer, 'pending' | 'endWaiting' | 'close'>
  readonly streams: Pick<LiveStreams, 'failAll'>
  readonly background: Pick<BackgroundRuns, 'size' | 'failAll'>
}

/** Waits for running requests up to the deadline, then ends the rest with the error of their API family. */
export async function drain({ server, streams, background }: Unfinished, deadlineMs: number): Promise<void> {
  const isDone = () => server.pending === 0 && background.size === 0
  await waitUntil(isDone, deadlineMs)
  const error = new GatewayError('shutting_down', 'This gateway is shutting down.')
  streams.failAll(error)
  background.failAll(error)
  server.endWaiting()
  await waitUntil(isDone, FINAL_EVENTS_MS)
  await server.close()
  await waitUntil(() => background.size === 0, BACKGROUND_ENDS_MS)
}

// Time to store how the last background responses ended.
const BACKGROUND_ENDS_MS = 3_000
// Time to send the error events of the last streams.
const FINAL_EVENTS_MS = 200
const POLL_MS = 20

async function waitUntil(isReached: () => boolean, deadlineMs: number): Promise<void> {
  const endMs = performance.now() + deadlineMs
  while (!isReached() && performance.now() < endMs) await Bun.sleep(POLL_MS)
}

/**
 * An uncaught error belongs to one request, or to a job that runs again. It is logged and the process continues: ending it
 * would break every running stream.
 */
export function outliveStrayFaults(log: Log): void {
  process.on('uncaughtException', (fault) => log.trouble('uncaught error', fault))
  process.on('unhandledRejection', (fault) => log.trouble('unhandled rejection', fault))
}

// A person who presses Ctrl+C twice takes longer.
const SAME_REQUEST_MS = 300
const LOOK_FOR_PARENT_MS = 500

type StopSignal = 'SIGTERM' | 'SIGINT'

export interface SignalHandlers {
  /** The first signal: finish what is running. */
  readonly stop: (signal: StopSignal) => unknown
  /** Another signal: end now. */
  readonly end: () => unknown
}

/** What this process can see of the system around it. */
export interface SignalSource {
  /** Whether npm or our launcher started it, in processes of their own around it. */
  readonly isWrapped: boolean
  parentId(): number
  on(signal: StopSignal, listener: () => void): unknown
  everyMs(intervalMs: number, look: () => void): unknown
}

const THIS_PROCESS: SignalSource = {
  isWrapped: process.env.npm_command !== undefined,
  parentId: () => process.ppid,
  on: (signal, listener) => process.on(signal, listener),
  everyMs: (intervalMs, look) => setInterval(look, intervalMs).unref(),
}

/**
 * Calls the handlers when the system asks this process to stop. If npm or the launcher started it, the same Ctrl+C comes
 * from the terminal and from each of them, so repeats that come at once count as one. And npm's shell passes no SIGTERM
 * on: it ends, and leaves what it started behind.
 */
export function obeyStopSignals(
  { stop, end }: SignalHandlers,
  { monotonicMs }: Pick<SteadyClock, 'monotonicMs'>,
  source = THIS_PROCESS,
): void {
  let heardAtMs = Number.NEGATIVE_INFINITY
  let isStopping = false
  const obey = (signal: StopSignal) => {
    const isRepeated = source.isWrapped && monotonicMs() - heardAtMs < SAME_REQUEST_MS
    heardAtMs = monotonicMs()
    if (isRepeated) return
    if (isStopping) return void end()
    isStopping = true
    stop(signal)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) source.on(signal, () => obey(signal))
  if (!source.isWrapped) return
  const parentId = source.parentId()
  source.everyMs(LOOK_FOR_PARENT_MS, () => {
    if (source.parentId() !== parentId && !isStopping) obey('SIGTERM')
  })
}
