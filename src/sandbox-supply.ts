import { isDeepStrictEqual } from 'node:util'
import type { LocalOperations } from './gateway/operate/index.ts'
import type { RouteSettings } from './gateway/ports/operations.ts'
import { FIRST_PAGE, listAll } from './list-all.ts'
import { type Format, type Model, type Price, type Supplier, USUAL_TIMEOUTS } from './vocabulary/supply.ts'

const ACTOR = 'sandbox'

/** The key the simulator accepts. It opens nothing outside this process, so it needs no hiding. */
export const SANDBOX_CREDENTIAL = 'sk-sandbox-built-in'

/** Prices like a small real model's, so that ledgers and limits have something to count. */
const PRICE: Price = {
  inputNanoPerMillion: 500_000_000n,
  outputNanoPerMillion: 1_500_000_000n,
  cacheReadNanoPerMillion: 50_000_000n,
  cacheWriteNanoPerMillion: 500_000_000n,
  imageNano: 0n,
}

/** The simulator under the names of the vendors it plays, in the order in which they are tried. */
const SUPPLIERS = [
  ['sandbox-openai', ['chat-completion', 'responses']],
  ['sandbox-anthropic', ['messages']],
  ['sandbox-google', ['content-generation']],
] as const satisfies readonly (readonly [id: string, formats: readonly Format[]])[]

type SupplierId = (typeof SUPPLIERS)[number][0]

const EVERYWHERE: readonly SupplierId[] = SUPPLIERS.map(([id]) => id)

const MODELS: readonly (readonly [id: string, suppliers: readonly SupplierId[], description: string])[] = [
  ['sandbox-chat', EVERYWHERE, 'Talks back; the same question gets the same answer.'],
  ['sandbox-reasoner', EVERYWHERE, 'Thinks aloud before it answers.'],
  ['sandbox-tools', EVERYWHERE, 'Calls the first tool it is offered, then answers from the result.'],
  ['sandbox-slow', ['sandbox-openai'], 'Takes its time, before the first word and between words.'],
  ['sandbox-flaky', ['sandbox-openai'], 'Fails now and then, in different ways.'],
]

/** Whether anybody but the simulator supplies this gateway. */
export function hasOtherSuppliers(operations: LocalOperations): boolean {
  return listAll(operations.listSuppliers).some((supplier) => supplier.type !== 'sandbox')
}

/**
 * Registers the simulator's suppliers at the address it has now, with its models. Repeating it changes nothing, and
 * what an operator has since made of the models and routes stays as it is: only missing ones are added.
 */
export async function registerSandbox(operations: LocalOperations, address: string): Promise<void> {
  // The supplier type adds each format's own path, so only the origin matters.
  const { origin } = new URL(address)
  for (const [id, formats] of SUPPLIERS) {
    await registerSupplier(operations, sandboxSupplier(id, formats, origin))
  }
  const knownModels = new Set(listAll(operations.listModels).map((model) => model.id))
  for (const [id, , description] of MODELS) {
    if (!knownModels.has(id)) await operations.putModel(sandboxModel(id, description), ACTOR)
  }
  await registerRoutes(operations)
}

async function registerSupplier(operations: LocalOperations, supplier: Supplier): Promise<void> {
  const known = listAll(operations.listSuppliers).find(({ id }) => id === supplier.id)
  if (!isDeepStrictEqual(known, supplier)) await operations.putSupplier(supplier, ACTOR)
  if (operations.listCredentials(supplier.id, FIRST_PAGE).data.length === 0) {
    await operations.addCredential(supplier.id, credential(), ACTOR)
  }
}

async function registerRoutes(operations: LocalOperations): Promise<void> {
  const routeKey = (modelId: string, supplierId: string) => `${modelId} ${supplierId}`
  const known = new Set(
    listAll(operations.listRoutes).map(({ route }) => routeKey(route.modelId, route.supplierId)),
  )
  for (const [modelId, suppliers] of MODELS) {
    for (const [index, supplierId] of suppliers.entries()) {
      if (known.has(routeKey(modelId, supplierId))) continue
      await operations.putRoute({ modelId, supplierId }, sandboxRoute(modelId, index + 1), ACTOR)
    }
  }
}

/** Switches the built-in simulator off as a supplier; one that an operator has registered elsewhere stays. */
export async function retireSandbox(operations: LocalOperations): Promise<void> {
  for (const supplier of listAll(operations.listSuppliers)) {
    const isBuiltIn = SUPPLIERS.some(([id]) => id === supplier.id)
    if (isBuiltIn && supplier.type === 'sandbox' && supplier.enabled) {
      await operations.putSupplier({ ...supplier, enabled: false }, ACTOR)
    }
  }
}

function sandboxSupplier(id: string, formats: readonly Format[], baseUrl: string): Supplier {
  return {
    id,
    type: 'sandbox',
    baseUrl,
    formats,
    source: 'shared',
    accountId: null,
    enabled: true,
    options: {},
    timeouts: USUAL_TIMEOUTS,
  }
}

function credential() {
  return {
    secret: SANDBOX_CREDENTIAL,
    label: 'built in',
    rpm: null,
    tpm: null,
    weight: 1,
    state: 'active',
  } as const
}

function sandboxModel(id: string, description: string): Omit<Model, 'createdAtMs'> {
  return {
    id,
    ownedBy: 'turnpike',
    displayName: id,
    description,
    kinds: ['text'],
    inputTokenLimit: 128_000,
    outputTokenLimit: 16_384,
    rpm: null,
    tpm: null,
    capabilities: {},
  }
}

function sandboxRoute(upstreamModel: string, priority: number): RouteSettings {
  return { upstreamModel, formats: null, price: PRICE, rpm: null, tpm: null, priority, enabled: true }
}
