import { greeting } from './app/greeting/greeting.ts'
import { obeyStopSignals, outliveStrayFaults } from './app/lifecycle.ts'
import { startTurnpike, type Turnpike } from './app/turnpike.ts'
import { type Assignment, readAssignment } from './app/workers/orders.ts'
import { runParent } from './app/workers/parent.ts'
import { report, runWorker } from './app/workers/worker.ts'
import { requireKnownNames } from './edges/settings/known-names.ts'
import { readSettings, settingNames } from './edges/settings/read-settings.ts'
import type { Settings } from './edges/settings/settings.ts'
import { explainStartFailure } from './edges/settings/start-failure.ts'
import { openLog, type PinoLog } from './edges/telemetry/pino-log.ts'
import { scrub } from './edges/telemetry/scrub.ts'
import { SYSTEM_CLOCK } from './vocabulary/clock.ts'

/** Reads the settings, starts the gateway, and stops it when the system asks. */
async function main(): Promise<void> {
  let assignment: Assignment | null = null
  let settings: Settings | null = null
  try {
    assignment = readAssignment(process.env)
    settings = readSettings(process.env)
    requireKnownNames(process.env, settingNames())
    await run(settings, assignment)
  } catch (error) {
    const reason = explainStartFailure(error, settings) ?? `Turnpike could not start: ${describe(error)}`
    if (assignment === null) console.error(reason)
    // The parent prints it, once for all workers.
    else await report({ type: 'failed', reason })
    process.exit(1)
  }
}

function run(settings: Settings, assignment: Assignment | null): Promise<void> {
  if (assignment !== null) return runWorker(settings, assignment)
  return settings.workers > 1 ? runParent(settings) : runAlone(settings)
}

async function runAlone(settings: Settings): Promise<void> {
  const log = await openLog(settings)
  const turnpike = await startTurnpike(settings, { clock: SYSTEM_CLOCK, random: Math.random, log })
  outliveStrayFaults(log)
  // Before the greeting: a program that reads it may send a signal at once.
  stopOnSignal(turnpike, settings, log)
  console.log(greeting({ ...turnpike, hasSandbox: turnpike.sandbox !== null }, settings))
}

function describe(error: unknown): string {
  return scrub(error instanceof Error ? error.message : String(error))
}

function stopOnSignal(turnpike: Turnpike, settings: Settings, log: PinoLog): void {
  const leaving = { serveMs: settings.drainSeconds * 1_000, isReplaced: false }
  const leave = async (exitCode: number) => {
    await log.flush()
    process.exit(exitCode)
  }
  const stop = async (signal: string) => {
    log.notice('stopping', { signal, streams: turnpike.streams.size })
    await turnpike.stop(settings.shutdownSeconds * 1_000, leaving)
    await leave(0)
  }
  obeyStopSignals({ stop, end: () => leave(1) }, SYSTEM_CLOCK)
}

await main()
