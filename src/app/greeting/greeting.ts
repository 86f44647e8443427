import type { Settings } from '../../edges/settings/settings.ts'
import type { AccountView } from '../../vocabulary/account.ts'
import { formatUsdt } from '../../vocabulary/money.ts'
import type { FirstUser } from '../supply/first-start.ts'
import { commandName, type Program, thisProgram } from './command-name.ts'
import type { SupplyAtStart } from './supply-at-start.ts'

/** What a start has created, and what it found. Secrets are shown once; on later starts they are null. */
export interface Started {
  readonly url: string
  readonly newOperatorToken: string | null
  readonly newKey: string | null
  readonly newUser: FirstUser | null
  /** The oldest account: that of a new key. */
  readonly firstAccount: AccountView | null
  readonly supply: SupplyAtStart
  readonly hasSandbox: boolean
}

/** The text printed after a start, with the secrets that this start created. */
export function greeting(started: Started, settings: Settings, program: Program = thisProgram()): string {
  const { url } = started
  const lines = [
    `Turnpike listens on ${url}`,
    `  clients    ${url}/v1`,
    `  operators  ${url}/operator/v1`,
    `  console    ${url}/console/`,
    `  API        ${url}/docs`,
    '',
    ...describeSupply(started),
    ...newSecrets(started, settings),
    ...(isFirst(started) ? [] : describeRecovery(started, settings, program)),
    ...describeFirstRequest(started, settings),
  ]
  return `${lines.join('\n')}\n`
}

/** Secrets are shown once, so even a start that fails later prints them. */
export function newSecrets(
  { newOperatorToken, newUser, newKey, firstAccount }: Omit<Started, 'url' | 'hasSandbox' | 'supply'>,
  { bootstrapKey, currencyName }: Settings,
): string[] {
  const lines: string[] = []
  if (newOperatorToken !== null) lines.push('', `Operator token (shown once): ${newOperatorToken}`)
  if (newUser !== null) {
    lines.push('', `Console user ${newUser.email}, password (shown once): ${newUser.password}`)
  }
  if (newKey !== null && bootstrapKey === null) {
    lines.push('', `API key (shown once): ${newKey}`)
    if (firstAccount !== null) lines.push(`  ${describeAccount(firstAccount, currencyName)}`)
  }
  return lines
}

function isFirst({ newOperatorToken, newUser, newKey }: Started): boolean {
  return newOperatorToken !== null || newUser !== null || newKey !== null
}

function describeAccount(account: AccountView, currency: string): string {
  const { tier, limits, balanceNano, creditLineNano } = account
  const rates = [describeRate(limits.rpm, 'requests'), describeRate(limits.tpm, 'tokens')].join(' and ')
  const credit =
    creditLineNano === null
      ? 'may go below zero without limit'
      : `may go ${formatUsdt(creditLineNano)} below zero`
  return `Its account: tier ${tier}, ${rates} a minute; balance ${formatUsdt(balanceNano)} ${currency}, ${credit}.`
}

function describeRate(limit: number | null, unit: string): string {
  return `${limit === null ? 'unlimited' : limit.toLocaleString('en-US')} ${unit}`
}

const NAMED_MODELS = 3

function describeSupply({ supply, hasSandbox }: Started): string[] {
  const lines = supply.suppliers.map(({ id, models }) => `  ${id}: ${describeModels(models)}`)
  if (hasSandbox) lines.push('  sandbox: simulated models for trying things out: sandbox-chat, …')
  if (lines.length > 0) return ['Suppliers and their models (all: GET /v1/models)', ...lines]
  return [
    'There are no models yet. Set the key of a vendor, such as OPENAI_API_KEY, or describe suppliers in supply.yaml,',
    'and start again. TURNPIKE_SANDBOX=on adds simulated models.',
  ]
}

function describeModels(models: readonly string[]): string {
  if (models.length === 0) return 'no models'
  const named = models.slice(0, NAMED_MODELS).join(', ')
  const count = `${models.length} ${models.length === 1 ? 'model' : 'models'}`
  return `${count}: ${named}${models.length > NAMED_MODELS ? ', …' : ''}`
}

const DEFAULT_URL = 'http://127.0.0.1:8080'

/** How to replace what an earlier start has shown. */
function describeRecovery(
  { url, firstAccount }: Started,
  { operatorToken }: Settings,
  program: Program,
): string[] {
  const command = commandName(program)
  const account = firstAccount?.id ?? '<account>'
  const address = url === DEFAULT_URL ? '' : ` and TURNPIKE_URL=${url}`
  return [
    '',
    `Secrets are shown only once. To get new ones, with TURNPIKE_OPERATOR_TOKEN${address} in the environment:`,
    `  API key           ${command} keys create ${account} --name <name>`,
    `  console password  ${command} users reset-password <e-mail address>`,
    operatorToken === null
      ? `  operator token    ${command} operator reset-token`
      : '  operator token    change TURNPIKE_OPERATOR_TOKEN and start again',
  ]
}

const SANDBOX_MODEL = 'sandbox-chat'

function describeFirstRequest(
  { url, newKey, supply, hasSandbox }: Started,
  { bootstrapKey }: Settings,
): string[] {
  const model = supply.firstModel ?? (hasSandbox ? SANDBOX_MODEL : null)
  if (model === null) return []
  const key = bootstrapKey === null ? (newKey ?? '$API_KEY') : '$TURNPIKE_BOOTSTRAP_KEY'
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] })
  const data = body.replaceAll("'", "'\\''")
  return [
    '',
    'Try it:',
    `curl ${url}/v1/chat/completions -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' -d '${data}'`,
  ]
}
