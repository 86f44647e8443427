import type { Sandbox } from '../../src/sandbox/server.ts'
import type { TestGateway } from './test-gateway.ts'

export interface SupplierFields {
  readonly id: string
  readonly sandbox: Pick<Sandbox, 'url'>
  /** What the gateway presents there; a sandbox accepts what begins with `sk-sandbox`. */
  readonly secret?: string
  readonly credential?: Readonly<Record<string, unknown>>
}

/** Registers a sandbox as a supplier with one credential. */
export async function addSupplier(
  gateway: TestGateway,
  { id, sandbox, secret = 'sk-sandbox-test', credential = {} }: SupplierFields,
): Promise<void> {
  await gateway.operator('PUT', `/suppliers/${id}`, {
    type: 'openai-compatible',
    base_url: `${sandbox.url}/v1`,
    formats: ['chat-completion'],
    enabled: true,
  })
  await gateway.operator('POST', `/suppliers/${id}/credentials`, { secret, ...credential })
}

/** USDT for a million tokens: with these, a token of input costs 1,000 nano and one of output 2,000. */
export const TEST_PRICE = { input: '1', output: '2', cache_read: '0.1', cache_write: '1' } as const

/** A model with a route to each of these suppliers, tried in the order given. */
export async function addModel(
  gateway: TestGateway,
  model: string,
  { suppliers, upstreamModel = 'sandbox-chat' }: { suppliers: readonly string[]; upstreamModel?: string },
): Promise<void> {
  await gateway.operator('PUT', `/models/${model}`, { owned_by: 'tests', output_token_limit: 4096 })
  for (const [index, supplier] of suppliers.entries()) {
    await gateway.operator('PUT', `/models/${model}/routes/${supplier}`, {
      upstream_model: upstreamModel,
      price: TEST_PRICE,
      priority: index + 1,
      enabled: true,
    })
  }
}
