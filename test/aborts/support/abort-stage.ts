import { expect } from 'bun:test'
import { formatUsdt } from '../../../src/vocabulary/money.ts'
import type { Format } from '../../../src/vocabulary/supply.ts'
import { RAW_CALLS } from '../../conformance/raw-calls.ts'
import type { Mode, TextFormat } from '../../conformance/talk.ts'
import { createKey, type IssuedKey, openAccount } from '../../support/accounts.ts'
import { onlySettlementOf, type SettlementBody } from '../../support/settlements.ts'
import { TEST_PRICE } from '../../support/supply.ts'
import { startTestGateway, type TestGateway } from '../../support/test-gateway.ts'

export interface SupplierFields {
  readonly format: Format
  readonly aborts: 'free' | 'prompt' | null
  readonly url: string
  readonly credential?: object
}

export interface Question {
  readonly text: string
  readonly model: string
  readonly mode: Mode
  /** More members of the body. */
  readonly fields?: object
}

export interface Asked {
  readonly key: IssuedKey
  readonly response: Promise<Response>
  leave(): void
}

export interface Charged extends SettlementBody {
  readonly notes: readonly string[]
}

/** A gateway whose requests are left by their clients. Each request has a key of its own. */
export interface AbortStage {
  readonly gateway: TestGateway
  addSupplier(id: string, fields: SupplierFields): Promise<void>
  /** A supplier, and a model of the same name that only it serves. */
  addRoute(id: string, fields: SupplierFields): Promise<void>
  addModel(id: string, suppliers: readonly string[], fields?: object): Promise<void>
  ask(client: TextFormat, question: Question): Promise<Asked>
  /** Any request; `send` gets the secret of its key. */
  begin(send: (key: string, signal: AbortSignal) => Promise<Response>): Promise<Asked>
  /** Checks that the amount is what the usage costs. */
  settlementOf(asked: Asked): Promise<Charged>
}

export async function openAbortStage(): Promise<AbortStage> {
  const gateway = await startTestGateway()
  const account = await openAccount(gateway)
  const addSupplier: AbortStage['addSupplier'] = async (id, { format, aborts, url, credential }) => {
    const fields = { type: 'sandbox', base_url: url, formats: [format], aborts, enabled: true }
    await gateway.operator('PUT', `/suppliers/${id}`, fields)
    const secret = 'sk-sandbox-test'
    await gateway.operator('POST', `/suppliers/${id}/credentials`, { secret, ...credential })
  }
  const addModel: AbortStage['addModel'] = async (id, suppliers, fields) => {
    await gateway.operator('PUT', `/models/${id}`, { owned_by: 'tests', ...fields })
    for (const [index, supplier] of suppliers.entries()) {
      const route = { upstream_model: 'm', price: TEST_PRICE, priority: index + 1, enabled: true }
      await gateway.operator('PUT', `/models/${id}/routes/${supplier}`, route)
    }
  }
  const begin: AbortStage['begin'] = async (send) => {
    const key = await createKey(gateway, account)
    const leaving = new AbortController()
    const response = send(key.secret, leaving.signal)
    response.catch(() => undefined)
    return { key, response, leave: () => leaving.abort() }
  }
  return {
    gateway,
    addSupplier,
    addModel,
    begin,
    addRoute: async (id, fields) => {
      await addSupplier(id, fields)
      await addModel(id, [id])
    },
    ask: (client, { text, model, mode, fields }) =>
      begin((key, signal) =>
        fetch(`${gateway.url}${RAW_CALLS[client].path(model, mode)}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ...RAW_CALLS[client].body(text, { model, mode }), ...fields }),
          signal,
        }),
      ),
    settlementOf: async ({ key }) => {
      const settlement = (await onlySettlementOf(gateway, key.id)) as Charged
      const { input, output, cache_read } = settlement.usage
      const amountNano = BigInt(input * 1_000 + output * 2_000 + cache_read * 100)
      expect(settlement.amount).toBe(formatUsdt(amountNano))
      return settlement
    },
  }
}
