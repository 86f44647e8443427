import { openDataFolder } from '../../edges/settings/data-folder.ts'
import { SettingError, type Settings } from '../../edges/settings/settings.ts'
import { openLog, type PinoLog } from '../../edges/telemetry/pino-log.ts'
import { SYSTEM_CLOCK } from '../../vocabulary/clock.ts'
import { greeting, newSecrets, type Started } from '../greeting/greeting.ts'
import { obeyStopSignals, outliveStrayFaults } from '../lifecycle.ts'
import { openMetricsPort } from '../telemetry/open-metrics.ts'
import { startTurnpike } from '../turnpike.ts'
import { CrewMetrics, READ_EVERY_MS } from './crew-metrics.ts'
import { forwardLines } from './forward-lines.ts'
import type { MetricsReport } from './orders.ts'
import { openParentLimits } from './parent-limits.ts'
import { Slots } from './slots.ts'
import { type Forward, spawnWorker } from './spawn-worker.ts'
import { Supervisor } from './supervisor.ts'

const clock = SYSTEM_CLOCK
// In addition to the workers' own shutdown time; a worker that takes longer hangs.
const PATIENCE_MS = 10_000

/** Supervises the workers of this machine and owns what exists only once. It serves no requests itself. */
export async function runParent(settings: Settings): Promise<void> {
  checkSystem(settings)
  const log = await openLog(settings)
  const port = findPort(settings)
  const made = { ...(await prepare(settings, log)), url: `http://${hostInUrl(settings.hostname)}:${port}` }
  const crew = await openCrew({ ...settings, port }, log, made.hasSandbox)
  obeySignals(crew, log)
  try {
    const isServing = await crew.supervisor.start()
    outliveStrayFaults(log)
    if (isServing) console.log(greeting(made, settings))
  } catch (error) {
    const secrets = newSecrets(made, settings)
    if (secrets.length > 0) console.log(secrets.join('\n'))
    throw error
  }
}

function checkSystem({ workers }: Settings): void {
  if (process.platform === 'linux') return
  throw new SettingError(
    `TURNPIKE_WORKERS is ${workers}; on this system it takes 1, since only Linux shares a port among processes.`,
  )
}

/**
 * Binds the port exclusively for a moment, which fails if another program uses it. Workers share the port, so they would
 * also share it with another gateway.
 */
function findPort({ hostname, port }: Settings): number {
  const probe = Bun.listen({ hostname, port, socket: { data: () => {} } })
  const found = probe.port
  probe.stop(true)
  return found
}

/**
 * Does what must happen once before workers start: migrations, recovery of the journals, the supply, and the secrets of a
 * first start. It starts a whole gateway and stops it again.
 */
async function prepare(settings: Settings, log: PinoLog): Promise<Omit<Started, 'url'>> {
  const alone = { ...settings, hostname: '127.0.0.1', port: 0, metricsPort: null, otel: null }
  const turnpike = await startTurnpike(alone, { clock, random: Math.random, log })
  await turnpike.stop(0)
  return { ...turnpike, hasSandbox: turnpike.sandbox !== null }
}

type Crew = Awaited<ReturnType<typeof openCrew>>

async function openCrew(settings: Settings, log: PinoLog, hasSandbox: boolean) {
  const folder = openDataFolder(settings.dataFolder)
  const sandbox = hasSandbox ? (await import('../../sandbox/server.ts')).startSandbox() : null
  const sharedLimits = settings.redisUrl === null ? openParentLimits(folder.path, clock) : null
  const slots = new Slots(folder.path)
  const forward: Forward = (printed, slot) => forwardLines(printed, slot, log.forward)
  const metering = openCrewMetering(settings, log)
  const spawn = () => {
    const slot = slots.take()
    const nodeId = `node_${crypto.randomUUID().replaceAll('-', '')}`
    const { port } = settings
    const place = { sandboxUrl: sandbox?.url ?? null, parentPath: sharedLimits?.path ?? null }
    const worker = spawnWorker({ nodeId, slot, port, ...place }, sharedLimits?.tableDescriptor ?? null, {
      forward,
      onMetrics: metering.onReport,
    })
    metering.metrics.add(worker)
    return worker
  }
  const supervisor = new Supervisor({
    workers: settings.workers,
    spawn,
    onEnded: ({ slot, nodeId }) => {
      slots.release(slot)
      if (sharedLimits?.noteEnded(nodeId)) log.notice('a worker died while it changed the limits', { slot })
      metering.metrics.end(nodeId)
    },
    onTakenOver: async ({ nodeId }) => sharedLimits?.releaseNode(nodeId),
    patienceMs: (settings.drainSeconds + settings.shutdownSeconds) * 1_000 + PATIENCE_MS,
    log,
  })
  const close = async () => {
    await metering.close()
    sharedLimits?.close()
    await sandbox?.stop()
    folder.release()
  }
  return { supervisor, close }
}

/** Collects the metrics of the workers, and serves them if they have a port of their own. */
function openCrewMetering(settings: Settings, log: PinoLog) {
  const metrics = new CrewMetrics()
  const timer = setInterval(() => void metrics.refresh(), READ_EVERY_MS)
  const server = openMetricsPort(settings, { clock, log }, () => metrics.read())
  return {
    metrics,
    onReport: (nodeId: string, report: MetricsReport) => {
      if (report.type === 'metrics') metrics.note(nodeId, report.readings, report.round)
      else void metrics.answer(nodeId, report.question)
    },
    close: async () => {
      clearInterval(timer)
      await server?.close()
    },
  }
}

function obeySignals({ supervisor, close }: Crew, log: PinoLog): void {
  const leave = async (exitCode: number) => {
    await log.flush()
    process.exit(exitCode)
  }
  const stop = async (signal: string) => {
    log.notice('stopping', { signal })
    await supervisor.stop()
    await close()
    await leave(0)
  }
  const end = async () => {
    await supervisor.end()
    await leave(1)
  }
  obeyStopSignals({ stop, end }, clock)
  process.on('SIGHUP', () => void supervisor.replace())
}

function hostInUrl(hostname: string): string {
  return hostname.includes(':') ? `[${hostname}]` : hostname
}
