import { openDatabase } from '../../src/edges/storage/engines/open-database.ts'
import type { Login } from '../../test/console/support/browser.ts'
import type { RouteIds } from '../../test/console/support/pages.ts'
import { chat } from '../../test/support/chat.ts'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../../test/support/test-gateway.ts'
import { writeTraffic } from './traffic.ts'

const MODELS = ['sandbox-chat', 'sandbox-reasoner', 'sandbox-tools', 'sandbox-image']
const SUPPLIERS = ['sandbox-openai', 'sandbox-anthropic', 'sandbox-google']
const REQUESTS = 6_000
const DAYS = 30

/** A gateway that looks as if it had been used for a month, and something of each kind to open. */
export interface ConsoleStage {
  readonly gateway: TestGateway
  readonly admin: Login
  readonly accountId: string
  /** By the route that shows it. */
  readonly ids: RouteIds
  stop(): Promise<void>
}

export async function openConsoleStage(): Promise<ConsoleStage> {
  const dataFolder = makeDataFolder()
  const first = await startTestGateway({ dataFolder })
  const admin = first.newUser
  if (admin === null) throw new Error('the first start made no user')
  const { accountId, keyIds } = await furnish(first)
  await first.stop()
  const database = await openDatabase({ databaseUrl: null, dataFolder }, 'console-stage')
  await writeTraffic(database, {
    accountId,
    keyIds,
    models: MODELS,
    suppliers: SUPPLIERS,
    count: REQUESTS,
    days: DAYS,
    nowMs: Date.now(),
  })
  await database.close()
  const gateway = await startTestGateway({ dataFolder, environment: { TURNPIKE_SIGN_UP: 'on' } })
  await watchOver(gateway)
  const ids = await findIds(gateway, accountId, keyIds[0] ?? '')
  return {
    gateway,
    admin,
    accountId,
    ids,
    stop: async () => {
      await gateway.stop()
      removeDataFolder(dataFolder)
    },
  }
}

const KEYS = [
  { name: 'Production', usage_limit: { amount: '40', period: 'monthly' }, budget: { amount: '25' } },
  { name: 'Claude Code on my laptop', rpm: 60, usage_limit: { amount: '1', period: 'daily' } },
  {
    name: 'CI',
    model_allowlist: ['sandbox-chat', 'sandbox-tools'],
    usage_limit: { amount: '9', period: 'weekly' },
  },
  { name: 'Support bot' },
] as const

async function furnish(gateway: TestGateway): Promise<{ accountId: string; keyIds: string[] }> {
  const { data } = await gateway.operator<{ data: { id: string }[] }>('GET', '/accounts')
  const accountId = data[0]?.id ?? ''
  await gateway.operator('PATCH', `/accounts/${accountId}`, { name: 'Northwind Labs', balance_alert: '50' })
  await gateway.operator('POST', `/accounts/${accountId}/payments`, {
    amount: '250',
    reference: 'INV-2026-0117',
    note: 'Bank transfer',
  })
  const keyIds: string[] = []
  for (const key of KEYS) {
    keyIds.push((await gateway.operator<{ id: string }>('POST', `/accounts/${accountId}/keys`, key)).id)
  }
  for (const [name, amount] of [
    ['Acme Robotics', '1200'],
    ['Globex', '75.5'],
    ['Initech', '20'],
  ] as const) {
    const { id } = await gateway.operator<{ id: string }>('POST', '/accounts', { name })
    await gateway.operator('POST', `/accounts/${id}/payments`, { amount, reference: `INV-${name}` })
  }
  return { accountId, keyIds }
}

// Refuses connections.
const NOWHERE = 'http://127.0.0.1:9'

/** Channels, sinks and alerts, one of which is over. */
async function watchOver(gateway: TestGateway): Promise<void> {
  const { operator } = gateway
  await operator('PUT', '/alert-channels/on-call', { type: 'slack', address: `${NOWHERE}/services/T0/B0/x` })
  const rare = ['node.lost', 'journal.waiting', 'circuit.open']
  await operator('PUT', '/alert-channels/team-mail', {
    type: 'email',
    address: 'platform-team@example.com',
    kinds: rare,
  })
  await operator('PUT', '/sinks/archive', { target: 'folder://archive', wait_seconds: 0 })
  await operator('PUT', '/sinks/warehouse', { target: `${NOWHERE}/collect?table=turnpike`, wait_seconds: 0 })
  await operator('PUT', '/sinks/old-bucket', { target: 'folder://old', enabled: false })
  const unpriced = { upstream_model: 'sandbox-chat' }
  await operator('PUT', '/models/northwind%2Fdraft', { owned_by: 'Northwind' })
  await operator('PUT', '/models/northwind%2Fdraft/routes/sandbox-openai', unpriced)
  await operator('PUT', '/models/northwind%2Fretired', { owned_by: 'Northwind' })
  await operator('PUT', '/models/northwind%2Fretired/routes/sandbox-openai', unpriced)
  await look(gateway)
  await operator('DELETE', '/models/northwind%2Fretired/routes/sandbox-openai')
  gateway.alerts.noteLostNode({ id: 'node_1', name: 'gateway-2', version: '1', startedAtMs: Date.now() })
  await look(gateway)
  await gateway.sinks.send()
}

async function look({ alerts }: TestGateway): Promise<void> {
  await alerts.lookAtPlatform()
  await alerts.deliverDue(Date.now())
}

/** The newest request is a real one, so that all of it can be opened. */
async function findIds(gateway: TestGateway, accountId: string, keyId: string): Promise<RouteIds> {
  const { secret } = await gateway.operator<{ secret: string }>('POST', `/accounts/${accountId}/keys`, {
    name: 'Notebook',
  })
  const headers = {
    'x-claude-code-session-id': '4f6c1f8e-53b9-4d0c-9f0a-7f2f4d0f6c11',
    'x-claude-code-agent-id': 'test-writer',
  }
  const response = await chat(
    gateway.url,
    { model: 'sandbox-reasoner', stream: true },
    { key: secret, headers },
  )
  await response.text()
  const requestId = response.headers.get('x-request-id') ?? ''
  const { data } = await gateway.operator<{ data: { id: string }[] }>(
    'GET',
    `/accounts/${accountId}/payments`,
  )
  return {
    '/keys': keyId,
    '/requests': requestId,
    '/billing/receipts': data[0]?.id ?? '',
    '/operator/accounts': accountId,
    '/operator/suppliers': 'sandbox-openai',
    '/operator/models': 'sandbox-chat',
    '/operator/settlements': requestId,
  }
}
