import type { Settings } from './edges/settings/settings.ts'
import type { Turnpike } from './turnpike.ts'

/** What a start has made and found. */
export type Started = Pick<Turnpike, 'url' | 'newOperatorToken' | 'newUser' | 'newKey'> & {
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
