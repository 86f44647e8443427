import { readSettings, SettingError } from './edges/settings/read-settings.ts'
import type { Settings } from './edges/settings/settings.ts'
import { createLog, type PinoLog } from './edges/telemetry/pino-log.ts'
import { startTurnpike, type Turnpike } from './turnpike.ts'

/** Reads the settings, starts the gateway, and stops it when the system asks. */
async function main(): Promise<void> {
  const settings = readSettings(process.env)
  const log = createLog(settings.logLevel)
  const turnpike = await startTurnpike(settings, { clock: { nowMs: Date.now }, random: Math.random, log })
  console.log(greeting(turnpike))
  stopOnSignal(turnpike, settings, log)
}

function stopOnSignal(turnpike: Turnpike, settings: Settings, log: PinoLog): void {
  let isStopping = false
  const stop = async (signal: string) => {
    if (isStopping) process.exit(1)
    isStopping = true
    log.notice('stopping', { signal, streams: turnpike.streams.size })
    await turnpike.stop(settings.shutdownSeconds * 1_000)
    log.flush()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
}

/** What a person needs to know after a start; secrets appear only on the start that made them. */
function greeting(turnpike: Turnpike): string {
  const { url, newKey, newOperatorToken } = turnpike
  const lines = [`Turnpike listens on ${url}`, `  clients    ${url}/v1`, `  operators  ${url}/operator/v1`]
  if (newOperatorToken !== null) lines.push('', `Operator token (shown once): ${newOperatorToken}`)
  if (newKey !== null) lines.push('', `API key (shown once): ${newKey}`)
  const key = newKey ?? '$API_KEY'
  if (turnpike.sandbox !== null) lines.push('', 'Try it:', firstRequest(url, key))
  return `${lines.join('\n')}\n`
}

function firstRequest(url: string, key: string): string {
  const body = JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] })
  return `curl ${url}/v1/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'`
}

try {
  await main()
} catch (error) {
  if (!(error instanceof SettingError)) throw error
  console.error(error.message)
  process.exit(1)
}
