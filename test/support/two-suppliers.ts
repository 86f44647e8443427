import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import type { SteadyClock } from '../../src/vocabulary/clock.ts'
import { createKey } from './accounts.ts'
import { addModel, addSupplier } from './supply.ts'
import { startTestGateway, type TestGateway } from './test-gateway.ts'

/** A gateway with two suppliers for the model `pair`, of which `first` is preferred, and a key without limits. */
export interface TwoSuppliers {
  readonly gateway: TestGateway
  readonly first: Sandbox
  readonly second: Sandbox
  readonly key: string
  stop(): Promise<void>
}

export interface TwoSuppliersOptions {
  readonly clock?: SteadyClock
  readonly environment?: Readonly<Record<string, string>>
}

export async function startTwoSuppliers(options: TwoSuppliersOptions = {}): Promise<TwoSuppliers> {
  const gateway = await startTestGateway(options)
  const first = startSandbox()
  const second = startSandbox()
  await addSupplier(gateway, { id: 'first', sandbox: first })
  await addSupplier(gateway, { id: 'second', sandbox: second })
  await addModel(gateway, 'pair', { suppliers: ['first', 'second'] })
  const { secret } = await openUnlimitedKey(gateway)
  return {
    gateway,
    first,
    second,
    key: secret,
    stop: async () => {
      await gateway.stop()
      await first.stop()
      await second.stop()
    },
  }
}

/** A key of an account whose own limits no test reaches. */
export async function openUnlimitedKey(gateway: TestGateway) {
  const { id } = await gateway.operator<{ id: string }>('POST', '/accounts', { name: 'Without limits' })
  await gateway.operator('PATCH', `/accounts/${id}`, { credit_line: null })
  const limits = { rpm: 2_000_000_000, tpm: 2_000_000_000 }
  await gateway.operator('PUT', `/accounts/${id}/tier`, { tier: 'Enterprise', ...limits, reason: 'tests' })
  return createKey(gateway, id)
}
