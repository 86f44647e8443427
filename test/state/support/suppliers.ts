import type { Format } from '../../../src/vocabulary/supply.ts'
import { createKey, openAccount } from '../../support/accounts.ts'
import { TEST_PRICE } from '../../support/supply.ts'
import type { TestGateway } from '../../support/test-gateway.ts'

const MODELS = ['sandbox-chat', 'sandbox-reasoner', 'sandbox-tools']

/** Every format a supplier may speak, and a supplier that speaks nothing else. */
export const SUPPLIERS: readonly (readonly [format: Format, supplier: string])[] = [
  ['chat-completion', 'only-chat'],
  ['responses', 'only-responses'],
  ['messages', 'sandbox-anthropic'],
  ['content-generation', 'sandbox-google'],
]

/** Adds the suppliers of one format that the built-in sandbox does not come with. */
export async function addSingleFormatSuppliers(gateway: TestGateway): Promise<void> {
  for (const [format, id] of SUPPLIERS) {
    if (!id.startsWith('only-')) continue
    await gateway.operator('PUT', `/suppliers/${id}`, {
      type: 'openai-compatible',
      base_url: `${gateway.sandbox.url}/v1`,
      formats: [format],
      enabled: true,
    })
    await gateway.operator('POST', `/suppliers/${id}/credentials`, { secret: 'sk-sandbox-test' })
    for (const model of MODELS) {
      await gateway.operator('PUT', `/models/${model}/routes/${id}`, {
        upstream_model: model,
        price: TEST_PRICE,
        priority: 9,
        enabled: true,
      })
    }
  }
}

/** A key of a new account that only this supplier serves. */
export async function keyFor(gateway: TestGateway, supplier: string, accountId?: string): Promise<string> {
  const owner = accountId ?? (await openAccount(gateway))
  const route_policy = { mode: 'specified_provider', provider: supplier }
  return (await createKey(gateway, owner, { route_policy })).secret
}
