import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import type { FamilyDriver, FamilyRequest, FamilySupplier } from './family-driver.ts'

/** A gateway with two sandboxes, whose suppliers, models and keys each test adds itself. */
export interface FamilyStage {
  readonly gateway: TestGateway
  readonly first: Sandbox
  readonly second: Sandbox
  addSupplier(id: string, supplier: FamilySupplier, fields?: SupplierFields): Promise<void>
  /** A model of the driver's kind with a route to each of these suppliers, tried in the order given. */
  addModel(id: string, driver: FamilyDriver, suppliers: readonly string[]): Promise<void>
  send(request: FamilyRequest, options: SendOptions): Promise<Response>
  stop(): Promise<void>
}

export interface SupplierFields {
  /** The first one when absent. */
  readonly sandbox?: Sandbox
  /** More fields of the supplier, as the operator API takes them. */
  readonly more?: Readonly<Record<string, unknown>>
}

export interface SendOptions {
  readonly key: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Whatever a family is charged by has a price. */
const PRICE = {
  input: '1',
  output: '2',
  image: '0.02',
  search_unit: '0.002',
  audio_minute: '0.006',
  character: '15',
} as const

export async function openFamilyStage(): Promise<FamilyStage> {
  const gateway = await startTestGateway()
  const first = startSandbox()
  const second = startSandbox()
  return {
    gateway,
    first,
    second,
    addSupplier: (id, supplier, { sandbox = first, more } = {}) =>
      addSupplier(gateway, id, { ...supplier, url: sandbox.url + supplier.path, more }),
    addModel: (id, driver, suppliers) => addModel(gateway, id, { driver, suppliers }),
    send: ({ path, body }, { key, headers, signal }) =>
      fetch(gateway.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          // A form comes with the boundary that `fetch` has chosen.
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
          ...headers,
        },
        body,
        ...(signal && { signal }),
      }),
    stop: async () => {
      await gateway.stop()
      await first.stop()
      await second.stop()
    },
  }
}

interface NewSupplier extends FamilySupplier {
  readonly url: string
  readonly more: SupplierFields['more'] | undefined
}

async function addSupplier(
  gateway: TestGateway,
  id: string,
  { type, format, url, options, secret = 'sk-sandbox-test', more }: NewSupplier,
): Promise<void> {
  await gateway.operator('PUT', `/suppliers/${id}`, {
    type,
    base_url: url,
    formats: [format],
    enabled: true,
    ...(options && { options }),
    ...more,
  })
  await gateway.operator('POST', `/suppliers/${id}/credentials`, { secret })
}

async function addModel(
  gateway: TestGateway,
  id: string,
  { driver, suppliers }: { readonly driver: FamilyDriver; readonly suppliers: readonly string[] },
): Promise<void> {
  const { kind, capabilities } = driver
  const model = { owned_by: 'tests', kinds: [kind], ...(capabilities && { capabilities }) }
  await gateway.operator('PUT', `/models/${id}`, model)
  for (const [index, supplier] of suppliers.entries()) {
    await gateway.operator('PUT', `/models/${id}/routes/${supplier}`, {
      upstream_model: driver.model,
      price: PRICE,
      priority: index + 1,
      enabled: true,
    })
  }
}
