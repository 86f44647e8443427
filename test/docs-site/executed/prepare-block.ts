import type { TestGateway } from '../../support/test-gateway.ts'
import type { Typing } from './computer.ts'

/** One that the sandbox takes. */
export const SUPPLIER_KEY = 'sk-sandbox-docs'
const PRICE = { input: '1.25', output: '10' }
const SUPPLIERS = ['openai', 'acme', 'own', 'ollama']

const NEEDS_SUPPLY = /gpt-5|openai|acme|ollama|doctor|status|aliases|wildcards/

type Operator = TestGateway['operator']

/** Makes what a block names: suppliers, models and records, and an account, a key and a user of its own. */
export async function prepareBlock(
  { gateway, vendorUrl, receiverUrl, count }: Omit<Typing, 'folder' | 'stopped'>,
  script: string,
) {
  const { operator } = gateway
  if (script.includes('suppliers delete')) await deleteWildcards(operator)
  if (NEEDS_SUPPLY.test(script)) await prepareSupply(operator, `${vendorUrl}/v1`)
  for (const [path, body] of Object.entries(recordsAt(receiverUrl))) {
    const [slug = '', id = ''] = path.split('/')
    if (script.includes(slug) && script.includes(id)) await operator('PUT', `/${path}`, body)
  }
  const { id: account } = await operator<{ id: string }>('POST', '/accounts', { name: `Docs ${count}` })
  await operator('POST', `/accounts/${account}/payments`, { amount: '100', reference: `docs-${count}` })
  const { id: key } = await operator<{ id: string }>('POST', `/accounts/${account}/keys`, { name: 'docs' })
  const email = `ada-${count}@example.com`
  if (script.includes('ada@') && !script.includes('users create'))
    await operator('POST', '/users', { email, name: 'Ada', password: 'seven quiet otters' })
  return { account, key, email }
}

/** Blocks before this one may have changed or deleted what it needs. */
async function prepareSupply(operator: Operator, baseUrl: string): Promise<void> {
  const { data } = await operator<{ data: readonly { id: string }[] }>('GET', '/suppliers?limit=200')
  const known = new Set(data.map(({ id }) => id))
  for (const id of SUPPLIERS) {
    const type = id === 'openai' ? 'openai' : 'openai-compatible'
    await operator('PUT', `/suppliers/${id}`, { type, base_url: baseUrl, formats: ['chat-completion'] })
    if (known.has(id)) continue
    await operator('POST', `/suppliers/${id}/credentials`, { secret: SUPPLIER_KEY })
    for (const model of id === 'openai'
      ? ['gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'gpt-4o', 'claude-opus-5']
      : ['gpt-5']) {
      await operator('PUT', `/models/${model}`, { owned_by: 'docs' })
      await operator('PUT', `/models/${model}/routes/${id}`, { upstream_model: model, price: PRICE })
    }
  }
}

function recordsAt(receiverUrl: string): Readonly<Record<string, unknown>> {
  return {
    'aliases/best': { name: 'best', models: ['gpt-5'] },
    'alert-channels/on-call': { type: 'slack', address: `${receiverUrl}/services/T0/B0/xyz` },
    'sinks/warehouse': { target: 'folder://archive', enabled: false },
    'mark-ups/enterprise': { applies_to: 'tier', name: 'Enterprise', percent: -10 },
    'payment-methods/bank-transfer': { name: 'Bank transfer', text: 'Transfer the amount.' },
    'tiers/gold': { name: 'Gold', rpm: 2_000, tpm: 40_000_000, position: 60 },
    'wildcards/acme-models': { pattern: 'acme/*', supplier: 'acme' },
  }
}

async function deleteWildcards(operator: Operator): Promise<void> {
  const { data } = await operator<{ data: readonly { id: string }[] }>('GET', '/wildcards')
  for (const { id } of data) await operator('DELETE', `/wildcards/${id}`)
}
