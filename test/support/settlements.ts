import { eventually } from './eventually.ts'
import type { TestGateway } from './test-gateway.ts'

/** A settlement as the operator API writes it, as far as tests look at it. */
export interface SettlementBody {
  readonly request_id: string
  readonly model: string
  readonly supplier: string | null
  readonly usage: {
    readonly input: number
    readonly cache_read: number
    readonly output: number
    readonly reasoning: number
  }
  readonly provenance: string
  readonly amount: string
  readonly outcome: string
  readonly attempts: readonly {
    readonly model?: string
    readonly supplier: string
    readonly result: string
    readonly status: number | null
    readonly failure: string | null
  }[]
}

/** All settlements of a key, newest first, once there are as many as expected. */
export function settlementsOf(
  gateway: TestGateway,
  keyId: string,
  count: number,
): Promise<readonly SettlementBody[]> {
  return eventually(`${count} settlements of ${keyId}`, async () => {
    const path = `/settlements?key=${keyId}&limit=200`
    const { data } = await gateway.operator<{ data: readonly SettlementBody[] }>('GET', path)
    return data.length >= count && data
  })
}

/** The one settlement of a key that has made one request. */
export async function onlySettlementOf(gateway: TestGateway, keyId: string): Promise<SettlementBody> {
  const settlements = await settlementsOf(gateway, keyId, 1)
  const [only] = settlements
  if (only === undefined || settlements.length > 1) throw new Error(`${settlements.length} settlements`)
  return only
}
