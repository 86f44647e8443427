import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { createKey, openAccount } from '../support/accounts.ts'
import { PauseGate } from '../support/pause-gate.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/test-gateway.ts'
import { TEXT_FORMATS, type TextFormat } from './talk.ts'

/** A gateway in front of suppliers that speak one format each, with a key for every one of them. */
export interface Stage {
  readonly gateway: TestGateway
  /** A separate sandbox whose pauses end only when the gate opens. */
  readonly gated: Sandbox
  readonly gate: PauseGate
  /** All keys belong to one account, so that a conversation may go on with another of them. */
  keyFor(supplier: TextFormat): string
  /** A key for the gated sandbox, spoken to in this format. */
  gatedKeyFor(supplier: TextFormat): string
  stop(): Promise<void>
}

const MODELS = ['sandbox-chat', 'sandbox-reasoner', 'sandbox-tools'] as const
const PRICE = { input: '1', output: '2', cache_read: '0.1', cache_write: '1' }

export async function openStage(options: TestGatewayOptions = {}): Promise<Stage> {
  const gateway = await startTestGateway(options)
  const gate = new PauseGate()
  const gated = startSandbox({ wait: gate.wait })
  const accountId = await openAccount(gateway)
  await liftLimits(gateway, accountId)
  const keys = new Map<string, string>()
  for (const format of TEXT_FORMATS) {
    for (const [prefix, url] of [
      ['speaks', gateway.sandbox.url],
      ['gated', gated.url],
    ] as const) {
      const id = `${prefix}-${format}`
      await addSupplier(gateway, { id, url, format })
      const { secret } = await createKey(gateway, accountId, {
        route_policy: { mode: 'specified_provider', provider: id },
      })
      keys.set(id, secret)
    }
  }
  return {
    gateway,
    gated,
    gate,
    keyFor: (supplier) => keys.get(`speaks-${supplier}`) ?? '',
    gatedKeyFor: (supplier) => keys.get(`gated-${supplier}`) ?? '',
    stop: () => gateway.stop().finally(() => gated.stop()),
  }
}

function liftLimits(gateway: TestGateway, accountId: string): Promise<unknown> {
  const tier = { tier: 'Enterprise', rpm: 1_000_000, tpm: 1_000_000_000, reason: 'Tests ask a lot.' }
  return gateway.operator('PUT', `/accounts/${accountId}/tier`, tier)
}

interface SupplierPlace {
  readonly id: string
  readonly url: string
  readonly format: TextFormat
}

async function addSupplier(gateway: TestGateway, { id, url, format }: SupplierPlace): Promise<void> {
  const supplier = { type: 'sandbox', base_url: url, formats: [format], enabled: true }
  await gateway.operator('PUT', `/suppliers/${id}`, supplier)
  await gateway.operator('POST', `/suppliers/${id}/credentials`, { secret: 'sk-sandbox-test' })
  for (const model of MODELS) {
    const route = { upstream_model: model, price: PRICE, enabled: true }
    await gateway.operator('PUT', `/models/${model}/routes/${id}`, route)
  }
}
