import {
  addHousehold,
  addOwnSupplier,
  askModel,
  type Household,
} from '../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../support/settlements.ts'
import type { TestGateway } from '../../support/test-gateway.ts'
import type { RouteIds } from './pages.ts'

/** Markup that runs a script in several ways if it becomes an element. */
export const MARKUP =
  '"\'><img src=/healthz?x onerror=alert(1) data-hostile><svg onload=alert(2) data-hostile><script data-hostile>alert(3)</script>'
const MODEL = 'hostile/model'

/** An account with one of everything, all named with markup. */
export interface HostileAccount {
  readonly accountId: string
  /** Ids by the route that shows them. */
  readonly ids: RouteIds
}

/** Stores markup wherever text is allowed. */
export async function plantWords(gateway: TestGateway): Promise<HostileAccount> {
  const house = await addHousehold(gateway, 'Hostile')
  await plantOwn(gateway, house)
  const paymentId = await plantMoney(gateway, house.accountId)
  await plantSupply(gateway)
  await plantTargets(gateway)
  await askModel(gateway, house, { model: MODEL, messages: [{ role: 'user', content: `say: ${MARKUP}` }] })
  const [settlement] = await settlementsOf(gateway, house.keyId, 1)
  const requestId = settlement?.request_id ?? ''
  const ids = {
    '/keys': house.keyId,
    '/requests': requestId,
    '/billing/receipts': paymentId,
    '/operator/accounts': house.accountId,
    '/operator/suppliers': 'hostile',
    '/operator/models': MODEL,
    '/operator/settlements': requestId,
  }
  return { accountId: house.accountId, ids }
}

/** Names set by an owner. */
async function plantOwn(gateway: TestGateway, house: Household): Promise<void> {
  const { owner, accountId, keyId } = house
  const at = `/accounts/${accountId}`
  await owner.call('PATCH /profile', { body: { name: MARKUP } })
  await owner.call(`PATCH ${at}/keys/${keyId}`, { body: { name: MARKUP } })
  await addOwnSupplier(gateway, house, 'hostile-own')
  await owner.call(`POST ${at}/own-suppliers/hostile-own/credentials`, {
    body: { secret: 'sk-sandbox-hostile', label: MARKUP },
  })
  await owner.call(`PUT ${at}/body-storage`, { body: { enabled: true, days: 1 } })
}

/** Returns the id of a payment. */
async function plantMoney(gateway: TestGateway, accountId: string): Promise<string> {
  const at = `/accounts/${accountId}`
  // The balance stays below, so that there is an alert.
  await gateway.operator('PATCH', at, { name: MARKUP, balance_alert: '5' })
  const payment = { amount: '1', reference: MARKUP, note: MARKUP }
  const { id } = await gateway.operator<{ id: string }>('POST', `${at}/payments`, payment)
  await gateway.operator('POST', `${at}/refunds`, { amount: '0.5', reference: MARKUP, reason: MARKUP })
  await gateway.operator('POST', `${at}/adjustments`, { amount: '0.25', reason: MARKUP })
  await gateway.operator('PUT', `${at}/tier`, { tier: 'Scale', reason: MARKUP })
  return id
}

async function plantSupply(gateway: TestGateway): Promise<void> {
  const { base_url } = await gateway.operator<{ base_url: string }>('GET', '/suppliers/sandbox-openai')
  const supplier = { type: 'sandbox', base_url, formats: ['chat-completion'], enabled: true }
  await gateway.operator('PUT', '/suppliers/hostile', supplier)
  await gateway.operator('POST', '/suppliers/hostile/credentials', { secret: 'sk-sandbox-x', label: MARKUP })
  const model = { owned_by: MARKUP, display_name: MARKUP, description: MARKUP, kinds: ['text'] }
  const at = `/models/${encodeURIComponent(MODEL)}`
  await gateway.operator('PUT', at, model)
  const route = { upstream_model: 'sandbox-chat', price: { input: '1', output: '1' }, enabled: true }
  await gateway.operator('PUT', `${at}/routes/hostile`, { ...route, priority: 1 })
  const variants = [{ when: { prompt_above: 1_000 }, input: '2' }]
  const images = [{ size: MARKUP.slice(0, 50), quality: MARKUP.slice(0, 50), price: '1' }]
  const price = { input: '1', output: '1', cache_write_1h: '2', images, variants }
  await gateway.operator('PUT', `${at}/routes/sandbox-openai`, { ...route, price, cost: price, priority: 2 })
  await gateway.operator('PUT', '/mark-ups/hostile', { applies_to: 'model', name: MODEL, percent: 5 })
  await plantListedRoute(gateway, at)
}

/** Nothing is sent to either. */
async function plantTargets(gateway: TestGateway): Promise<void> {
  const away = `http://127.0.0.1:9/${'long-path-'.repeat(9)}`
  const channel = { type: 'webhook', address: away, enabled: false }
  await gateway.operator('PUT', '/alert-channels/hostile', channel)
  await gateway.operator('PUT', '/sinks/hostile', { target: `${away}?x=${MARKUP}`, enabled: false })
}

/** A route whose price differs from that of the catalog. Its supplier has no credential and is never called. */
async function plantListedRoute(gateway: TestGateway, at: string): Promise<void> {
  const address = { type: 'openai-compatible', base_url: 'https://api.groq.com/openai/v1' }
  await gateway.operator('PUT', '/suppliers/groq', { ...address, formats: ['chat-completion'] })
  const route = { upstream_model: 'llama-3.3-70b-versatile', price: { input: '9', output: '9' } }
  await gateway.operator('PUT', `${at}/routes/groq`, route)
}
