import { createKey, type IssuedKey, openAccount } from '../support/accounts.ts'
import { TEST_PRICE } from '../support/supply.ts'
import type { TestGateway } from '../support/test-gateway.ts'

export const TEXT_FORMATS = ['chat-completion', 'responses', 'messages', 'content-generation'] as const
export type TextFormat = (typeof TEXT_FORMATS)[number]

/** Which models are to exist, and which one of the sandbox stands behind all of them. */
export interface Supply {
  readonly models: Iterable<string>
  readonly upstreamModel: string
}

/** Registers the sandbox four times, once for each format it can be spoken to in, and each model with all four. */
export async function supplyByFormat(gateway: TestGateway, { models, upstreamModel }: Supply): Promise<void> {
  for (const format of TEXT_FORMATS) {
    const supplier = { type: 'sandbox', base_url: gateway.sandbox.url, formats: [format], enabled: true }
    await gateway.operator('PUT', `/suppliers/speaks-${format}`, supplier)
    await gateway.operator('POST', `/suppliers/speaks-${format}/credentials`, { secret: 'sk-sandbox-test' })
  }
  for (const model of models) {
    await gateway.operator('PUT', `/models/${model}`, { owned_by: 'tests', output_token_limit: 64_000 })
    for (const format of TEXT_FORMATS) {
      const route = { upstream_model: upstreamModel, price: TEST_PRICE, enabled: true }
      await gateway.operator('PUT', `/models/${model}/routes/speaks-${format}`, route)
    }
  }
}

/** A key whose requests go to the supplier that speaks this format, as many as anyone likes. */
export async function createKeyFor(gateway: TestGateway, format: TextFormat): Promise<IssuedKey> {
  const accountId = await openAccount(gateway)
  const tier = { tier: 'Enterprise', rpm: 1_000_000, tpm: 1_000_000_000, reason: 'Tests ask a lot.' }
  await gateway.operator('PUT', `/accounts/${accountId}/tier`, tier)
  return createKey(gateway, accountId, {
    route_policy: { mode: 'specified_provider', provider: `speaks-${format}` },
  })
}
