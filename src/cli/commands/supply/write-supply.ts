import { catalogFacts } from '../../../manage/prices/model-import.ts'
import { BUILT_IN_CATALOG } from '../../../rules/catalog/built-in/built-in-catalog.ts'
import type { Vendor } from '../../../rules/catalog/built-in/schema.ts'
import { readList } from '../../operator-action.ts'
import type { OperatorClient } from '../../operator-client.ts'

/** A supplier as a command describes it. */
export interface WrittenSupplier {
  readonly id: string
  readonly type: string
  readonly base_url: string
  /** All formats of its type when absent. */
  readonly formats?: readonly string[]
  /** What programs on the own machine take is any text. */
  readonly secret: string
}

/** The label of the credential that commands write. */
const LABEL = 'main'

export function vendorNamed(name: string): Vendor | undefined {
  return BUILT_IN_CATALOG.vendors.find(({ vendor }) => vendor === name)
}

/** Creates or changes a supplier and its credential. */
export async function writeSupplier(
  client: OperatorClient,
  { id, secret, ...settings }: WrittenSupplier,
): Promise<void> {
  const path = `/suppliers/${encodeURIComponent(id)}`
  await client.call('PUT', path, settings)
  const { items } = await readList(client, 'listCredentials', { id, limit: Number.POSITIVE_INFINITY })
  const known = items.find(({ label }) => label === LABEL)
  if (known === undefined) await client.call('POST', `${path}/credentials`, { label: LABEL, secret })
  else await client.call('PATCH', `/credentials/${encodeURIComponent(known.id)}`, { secret, state: 'active' })
}

/** A model with its route to a supplier. */
export interface WrittenModel {
  readonly id: string
  /** What is known of it, when it has to be created. */
  readonly facts: object
  readonly route: object
}

/** Creates models that are missing, and their routes to a supplier. A model that is there stays as it is. */
export async function writeModels(
  client: OperatorClient,
  supplier: string,
  models: readonly WrittenModel[],
): Promise<void> {
  const { items } = await readList(client, 'listCatalogModels', { limit: Number.POSITIVE_INFINITY })
  const known = new Set(items.map(({ id }) => id))
  for (const { id, facts, route } of models) {
    const path = `/models/${encodeURIComponent(id)}`
    if (!known.has(id)) await client.call('PUT', path, facts)
    known.add(id)
    await client.call('PUT', `${path}/routes/${encodeURIComponent(supplier)}`, route)
  }
}

/** The names that routes to a supplier ask for. */
export async function routedNames(client: OperatorClient, supplier: string): Promise<ReadonlySet<string>> {
  const { items } = await readList(client, 'listRoutes', { limit: Number.POSITIVE_INFINITY })
  const routes = items.filter((route) => route.supplier === supplier)
  return new Set(routes.map(({ upstream_model }) => upstream_model))
}

/** The models that the catalog offers at a vendor. */
export function offeredModels({ routes, priority }: Vendor): readonly (WrittenModel & { name: string })[] {
  return routes.map(({ model, upstream_model = model, ...route }) => ({
    id: model,
    name: upstream_model,
    facts: catalogFacts(model, ''),
    route: { upstream_model, ...route, price_source: 'catalog', priority },
  }))
}
