import { readSettings } from './edges/settings/read-settings.ts'
import type { Settings } from './edges/settings/settings.ts'
import { explainStartFailure } from './edges/settings/start-failure.ts'
import { createLog, type PinoLog } from './edges/telemetry/pino-log.ts'
import { scrub } from './edges/telemetry/scrub.ts'
import { startTurnpike, type Turnpike } from './turnpike.ts'

/** Reads the settings, starts the gateway, and stops it when the system asks. */
async function main(): Promise<void> {
  let settings: Settings | null = null
  try {
    settings = readSettings(process.env)
    await run(settings)
  } catch (error) {
    console.error(explainStartFailure(error, settings) ?? `Turnpike could not start: ${describe(error)}`)
    process.exit(1)
  }
}

async function run(settings: Settings): Promise<void> {
  const log = createLog(settings.logLevel)
  const turnpike = await startTurnpike(settings, { clock: { nowMs: Date.now }, random: Math.random, log })
  // Before the greeting: whoever reads it may ask for the end at once.
  stopOnSignal(turnpike, settings, log)
  console.log(greeting(turnpike, settings))
}

function describe(error: unknown): string {
  return scrub(error instanceof Error ? error.message : String(error))
}

function stopOnSignal(turnpike: Turnpike, settings: Settings, log: PinoLog): void {
  let isStopping = false
  const stop = async (signal: string) => {
    if (isStopping) {
      await log.flush()
      process.exit(1)
    }
    isStopping = true
    log.notice('stopping', { signal, streams: turnpike.streams.size })
    await turnpike.stop(settings.shutdownSeconds * 1_000)
    await log.flush()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
}

/** What a person needs to know after a start; only secrets that this very start made are shown. */
function greeting(turnpike: Turnpike, settings: Settings): string {
  const { url, newOperatorToken, newUser } = turnpike
  const newKey = settings.bootstrapKey === null ? turnpike.newKey : null
  const lines = [`Turnpike listens on ${url}`, `  clients    ${url}/v1`, `  operators  ${url}/operator/v1`]
  lines.push(`  console    ${url}/console/`)
  if (newOperatorToken !== null) lines.push('', `Operator token (shown once): ${newOperatorToken}`)
  if (newUser !== null) {
    lines.push('', `Console user ${newUser.email}, password (shown once): ${newUser.password}`)
  }
  if (newKey !== null) lines.push('', `API key (shown once): ${newKey}`)
  const key = newKey ?? (settings.bootstrapKey === null ? '$API_KEY' : '$TURNPIKE_BOOTSTRAP_KEY')
  if (turnpike.sandbox !== null) lines.push('', 'Try it:', firstRequest(url, key))
  return `${lines.join('\n')}\n`
}

function firstRequest(url: string, key: string): string {
  const body = JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] })
  return `curl ${url}/v1/chat/completions -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' -d '${body}'`
}

await main()
