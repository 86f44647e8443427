import type { LocalOperations } from './gateway/operate/index.ts'
import type { Model, Price, Supplier } from './vocabulary/supply.ts'

const ACTOR = 'sandbox'
const FIRST_PAGE = { limit: 1_000, cursor: null } as const

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

const MODELS = [
  ['sandbox-chat', 'Talks back; the same question gets the same answer.'],
  ['sandbox-reasoner', 'Thinks aloud before it answers.'],
  ['sandbox-tools', 'Calls the first tool it is offered, then answers from the result.'],
  ['sandbox-slow', 'Takes its time, before the first word and between words.'],
  ['sandbox-flaky', 'Fails now and then, in different ways.'],
] as const

/** Whether anybody but the simulator supplies this gateway. */
export function hasOtherSuppliers(operations: LocalOperations): boolean {
  return operations.listSuppliers(FIRST_PAGE).data.some((supplier) => supplier.type !== 'sandbox')
}

/** Registers the simulator as a supplier at the address it has now, with its models; repeating it changes nothing. */
export async function registerSandbox(operations: LocalOperations, baseUrl: string): Promise<void> {
  const supplier = sandboxSupplier(baseUrl)
  const known = operations.listSuppliers(FIRST_PAGE).data.find(({ id }) => id === supplier.id)
  if (known?.baseUrl !== baseUrl || !known.enabled) await operations.putSupplier(supplier, ACTOR)
  if (operations.listCredentials(supplier.id, FIRST_PAGE).data.length === 0) {
    await operations.addCredential(supplier.id, credential(), ACTOR)
  }
  const knownModels = new Set(operations.listModels(FIRST_PAGE).data.map((model) => model.id))
  for (const [id, description] of MODELS) {
    if (!knownModels.has(id)) await registerModel(operations, supplier.id, sandboxModel(id, description))
  }
}

/** Switches the simulator off as a supplier when it is registered and no longer wanted. */
export async function retireSandbox(operations: LocalOperations): Promise<void> {
  for (const supplier of operations.listSuppliers(FIRST_PAGE).data) {
    if (supplier.type === 'sandbox' && supplier.enabled) {
      await operations.putSupplier({ ...supplier, enabled: false }, ACTOR)
    }
  }
}

function sandboxSupplier(baseUrl: string): Supplier {
  return {
    id: 'sandbox-openai',
    type: 'sandbox',
    baseUrl,
    formats: ['chat-completion'],
    source: 'shared',
    accountId: null,
    enabled: true,
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

async function registerModel(
  operations: LocalOperations,
  supplierId: string,
  model: Omit<Model, 'createdAtMs'>,
): Promise<void> {
  await operations.putModel(model, ACTOR)
  const settings = {
    upstreamModel: model.id,
    formats: null,
    price: PRICE,
    rpm: null,
    tpm: null,
    priority: 1,
    enabled: true,
  }
  await operations.putRoute({ modelId: model.id, supplierId }, settings, ACTOR)
}
