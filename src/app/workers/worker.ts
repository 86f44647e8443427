import { hostname } from 'node:os'
import type { Settings } from '../../edges/settings/settings.ts'
import { createLog, type PinoLog } from '../../edges/telemetry/pino-log.ts'
import { SYSTEM_CLOCK } from '../../vocabulary/clock.ts'
import { type Leaving, outliveStrayFaults } from '../lifecycle.ts'
import { startTurnpike, type Turnpike } from '../turnpike.ts'
import { type Assignment, type Order, type Report, TABLE_DESCRIPTOR } from './orders.ts'
import { openWorkerLimits } from './parent-limits.ts'
import { WorkerMetrics } from './worker-metrics.ts'

// Clients that keep connections and use them at least this often have moved on before theirs are closed.
const MOVING_MS = 2_000
const REPORT_PATIENCE_MS = 1_000

/** Serves a part of what comes to the port, until the parent orders otherwise or is gone. */
export async function runWorker(settings: Settings, assignment: Assignment): Promise<void> {
  const { nodeId, slot, port, parentPath, sandboxUrl } = assignment
  // Lines stay JSON: the parent writes them for people, if any read them.
  const log = createLog(settings.logLevel, { slot })
  const metrics = new WorkerMetrics((what) => void process.send?.(what))
  const exit = new WorkerExit(settings, { log, metrics })
  takeOrders(exit, metrics)
  const place = parentPath === null ? null : { path: parentPath, descriptor: TABLE_DESCRIPTOR }
  const sharedLimits = place === null ? null : await openWorkerLimits(place, nodeId, SYSTEM_CLOCK)
  const nodeName = `${settings.nodeName ?? hostname()}-${slot}`
  const turnpike = await startTurnpike(
    { ...settings, port, nodeName },
    { clock: SYSTEM_CLOCK, random: Math.random, log },
    { nodeId, slot, sharedLimits, sandboxUrl, metrics },
  )
  exit.noteStarted(turnpike)
  outliveStrayFaults(log)
  await report({ type: 'ready' })
}

/** Resolves when the parent has it, or cannot have it any more. */
export async function report(what: Report): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, REPORT_PATIENCE_MS)
  process.send?.(what, undefined, undefined, () => resolve())
  await promise
  clearTimeout(timer)
}

/**
 * Signals are the parent's business: a terminal sends them to all processes, and each would take them for a second
 * one after the parent's order. Only SIGTERM for this very process counts.
 */
function takeOrders(exit: WorkerExit, metrics: WorkerMetrics): void {
  const leaveAlone = { serveMs: 0, isReplaced: true }
  process.on('message', (order: Order) => {
    if (order.type === 'end') process.exit(1)
    if (order.type === 'leave') void exit.leave(exit.plan(order.isReplaced))
    else metrics.obey(order)
  })
  // While this worker listens, no other process could be started on the port.
  process.on('disconnect', () => void exit.leave(leaveAlone))
  process.on('SIGTERM', () => void exit.leave(exit.plan(false)))
  process.on('SIGINT', () => {})
  process.on('SIGHUP', () => {})
}

/** Stops this worker, once. */
class WorkerExit {
  readonly #settings: Settings
  readonly #log: PinoLog
  readonly #metrics: WorkerMetrics
  /** null while the gateway starts: the parent may stop a worker at any time. */
  #turnpike: Turnpike | null = null
  #isLeaving = false

  constructor(
    settings: Settings,
    { log, metrics }: { readonly log: PinoLog; readonly metrics: WorkerMetrics },
  ) {
    this.#settings = settings
    this.#log = log
    this.#metrics = metrics
  }

  noteStarted(turnpike: Turnpike): void {
    this.#turnpike = turnpike
  }

  plan(isReplaced: boolean): Omit<Leaving, 'finishMs'> {
    const drainMs = this.#settings.drainSeconds * 1_000
    return { serveMs: isReplaced ? Math.max(MOVING_MS, drainMs) : drainMs, isReplaced }
  }

  async leave(leaving: Omit<Leaving, 'finishMs'>): Promise<void> {
    if (this.#isLeaving) return
    this.#isLeaving = true
    this.#log.notice('leaving', { streams: this.#turnpike?.streams.size ?? 0 })
    await this.#turnpike?.stop(this.#settings.shutdownSeconds * 1_000, leaving)
    await report(this.#metrics.lastReport())
    await this.#log.flush()
    process.exit(0)
  }
}
