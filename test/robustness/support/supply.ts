import type { GatewayProcess } from './gateway-process.ts'

/** Limits stay on and are counted; they are only set where no test can reach them. */
export async function liftLimits(gateway: Pick<GatewayProcess, 'operator'>): Promise<void> {
  const { data } = await gateway.operator<{ data: { id: string }[] }>('GET', '/accounts')
  const limits = { tier: 'Enterprise', rpm: 10_000_000, tpm: 2_000_000_000, reason: 'tests' }
  for (const { id } of data) await gateway.operator('PUT', `/accounts/${id}/tier`, limits)
}

export interface SupplyFields {
  readonly supplier?: string
  readonly baseUrl: string
  readonly secret?: string
  readonly model?: string
  readonly upstreamModel?: string
}

/** A model served by one supplier; 1 USDT for a million tokens in, 2 for a million out. */
export async function addSupply(
  gateway: Pick<GatewayProcess, 'operator'>,
  {
    baseUrl,
    supplier = 'robust',
    secret = 'sk-sandbox-robust',
    model = 'robust-chat',
    upstreamModel = 'sandbox-chat',
  }: SupplyFields,
): Promise<void> {
  await gateway.operator('PUT', `/suppliers/${supplier}`, {
    type: 'openai-compatible',
    base_url: baseUrl,
    formats: ['chat-completion'],
    enabled: true,
  })
  await gateway.operator('POST', `/suppliers/${supplier}/credentials`, { secret })
  await gateway.operator('PUT', `/models/${model}`, { owned_by: 'tests', output_token_limit: 4096 })
  await gateway.operator('PUT', `/models/${model}/routes/${supplier}`, {
    upstream_model: upstreamModel,
    price: { input: '1', output: '2' },
    priority: 1,
    enabled: true,
  })
}
