import { isDeepStrictEqual } from 'node:util'
import type { Settings } from '../../edges/settings/settings.ts'
import type { LocalOperations } from '../../manage/operations/parts.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { SANDBOX_ORIGIN } from '../../suppliers/sandbox/index.ts'
import type { Price } from '../../vocabulary/price.ts'
import {
  CredentialCreate,
  type Format,
  type Model,
  ModelPut,
  type ModelSettings,
  RoutePut,
  type RouteSettings,
  type Supplier,
  SupplierPut,
} from '../../vocabulary/supply.ts'
import { FIRST_PAGE, listAll } from './environment-supply.ts'

const ACTOR = 'sandbox'

/** The key that the sandbox accepts. It is valid only inside this process, so it is no secret. */
export const SANDBOX_CREDENTIAL = 'sk-sandbox-built-in'

/** Prices like a small real model's, so that ledgers and limits have something to count. */
const PRICE: Price = {
  inputNanoPerMillion: 500_000_000n,
  outputNanoPerMillion: 1_500_000_000n,
  cacheReadNanoPerMillion: 50_000_000n,
  cacheWriteNanoPerMillion: 500_000_000n,
  imageNano: 0n,
}

const FREE: Price = {
  inputNanoPerMillion: 0n,
  outputNanoPerMillion: 0n,
  cacheReadNanoPerMillion: 0n,
  cacheWriteNanoPerMillion: 0n,
  imageNano: 0n,
}

/** Per image, as models that do not count tokens are sold. */
const PER_IMAGE_PRICE: Price = { ...FREE, imageNano: 20_000_000n }

/** Per token, as current image models are sold. */
const IMAGE_TOKEN_PRICE: Price = {
  inputNanoPerMillion: 5_000_000_000n,
  outputNanoPerMillion: 30_000_000_000n,
  cacheReadNanoPerMillion: 1_250_000_000n,
  cacheWriteNanoPerMillion: 5_000_000_000n,
  imageNano: 0n,
}

/** The simulator under the names of the vendors it plays, in the order in which they are tried. */
const SUPPLIERS = [
  [
    'sandbox-openai',
    [
      'chat-completion',
      'responses',
      'images',
      'completions',
      'embeddings',
      'rerank',
      'moderations',
      'transcriptions',
      'speech',
    ],
  ],
  ['sandbox-anthropic', ['messages']],
  ['sandbox-google', ['content-generation']],
] as const satisfies readonly (readonly [id: string, formats: readonly Format[]])[]

type SupplierId = (typeof SUPPLIERS)[number][0]

const EVERYWHERE: readonly SupplierId[] = SUPPLIERS.map(([id]) => id)

interface SandboxModel extends Pick<Model, 'id' | 'description' | 'kinds' | 'capabilities'> {
  readonly suppliers: readonly SupplierId[]
  /** null: every format its supplier speaks. */
  readonly formats: readonly Format[] | null
  readonly price: Price
}

/** The format in which the sandbox serves these kinds. */
const SPECIAL_FORMATS = {
  rerank: 'rerank',
  moderation: 'moderations',
  transcription: 'transcriptions',
  speech: 'speech',
} as const

const MODELS: readonly SandboxModel[] = [
  talker('sandbox-chat', EVERYWHERE, 'Talks back; the same question gets the same answer.'),
  talker('sandbox-reasoner', EVERYWHERE, 'Thinks aloud before it answers.'),
  talker('sandbox-tools', EVERYWHERE, 'Calls the first tool it is offered, then answers from the result.'),
  talker('sandbox-slow', ['sandbox-openai'], 'Takes its time, before the first word and between words.'),
  talker('sandbox-flaky', ['sandbox-openai'], 'Fails now and then, in different ways.'),
  {
    ...talker('sandbox-completion', ['sandbox-openai'], 'Continues a text, and talks back.'),
    capabilities: { completions: true },
    formats: ['completions', 'chat-completion'],
  },
  {
    id: 'sandbox-image',
    description: 'Generates an image that depends on the prompt, and edits images within a mask.',
    kinds: ['image', 'image-edit'],
    capabilities: {
      images: {
        sizes: ['256x256', '512x512', '1024x1024', '1792x1024', '1024x1792'],
        qualities: ['standard', 'hd'],
        styles: ['vivid', 'natural'],
        promptCharacters: 4_000,
      },
    },
    suppliers: ['sandbox-openai', 'sandbox-google'],
    formats: ['images', 'content-generation'],
    price: PER_IMAGE_PRICE,
  },
  {
    id: 'sandbox-image-base64',
    description: 'Like current image models: returns images as Base64 and counts tokens.',
    kinds: ['image', 'image-edit'],
    capabilities: {
      images: { qualities: ['low', 'medium', 'high', 'auto'], styles: [], responseFormat: 'none' },
    },
    suppliers: ['sandbox-openai'],
    formats: ['images'],
    price: IMAGE_TOKEN_PRICE,
  },
  {
    id: 'sandbox-embedding',
    description: 'Embeds texts: texts with the same words have similar vectors.',
    kinds: ['embedding'],
    capabilities: {},
    suppliers: ['sandbox-openai', 'sandbox-google'],
    formats: ['embeddings', 'content-generation'],
    price: { ...FREE, inputNanoPerMillion: 100_000_000n },
  },
  specialist('sandbox-rerank', {
    kind: 'rerank',
    description: 'Ranks documents by the words that they share with the query.',
    price: { searchUnitNano: 2_000_000n },
  }),
  specialist('sandbox-moderation', {
    kind: 'moderation',
    description: 'Flags texts that name a category, such as violence; charged by the request.',
    price: { requestNano: 100_000n },
  }),
  specialist('sandbox-transcribe', {
    kind: 'transcription',
    description: 'Transcribes audio; charged by the minute.',
    price: { audioMinuteNano: 6_000_000n },
  }),
  specialist('sandbox-transcribe-tokens', {
    kind: 'transcription',
    description: 'Transcribes audio; charged by tokens.',
    price: {
      inputNanoPerMillion: 2_500_000_000n,
      audioInputNanoPerMillion: 6_000_000_000n,
      outputNanoPerMillion: 10_000_000_000n,
    },
  }),
  specialist('sandbox-speech', {
    kind: 'speech',
    description: 'Speaks a text; charged by its characters.',
    price: { characterNanoPerMillion: 15_000_000_000n },
  }),
  specialist('sandbox-speech-tokens', {
    kind: 'speech',
    description: 'Speaks a text; charged by tokens.',
    price: {
      inputNanoPerMillion: 600_000_000n,
      outputNanoPerMillion: 12_000_000_000n,
      audioOutputNanoPerMillion: 12_000_000_000n,
    },
  }),
]

interface Specialist {
  readonly kind: keyof typeof SPECIAL_FORMATS
  readonly description: string
  readonly price?: Partial<Price>
}

function specialist(id: string, { kind, description, price }: Specialist): SandboxModel {
  return {
    id,
    description,
    kinds: [kind],
    capabilities: {},
    suppliers: ['sandbox-openai'],
    formats: [SPECIAL_FORMATS[kind]],
    price: { ...FREE, ...price },
  }
}

function talker(id: string, suppliers: readonly SupplierId[], description: string): SandboxModel {
  return { id, suppliers, description, kinds: ['text'], capabilities: {}, formats: null, price: PRICE }
}

/** Starts the built-in sandbox and registers it if the mode wants it; otherwise disables it. */
export async function openSandbox(
  mode: Settings['sandbox'],
  operations: LocalOperations,
): Promise<Sandbox | null> {
  if (mode === 'off' || (mode === 'auto' && hasOtherSuppliers(operations))) {
    await retireSandbox(operations)
    return null
  }
  await registerSandbox(operations)
  const { startSandbox } = await import('../../sandbox/server.ts')
  return startSandbox()
}

/** Whether this gateway has shared suppliers besides the sandbox. An account’s own suppliers do not count. */
export function hasOtherSuppliers(operations: LocalOperations): boolean {
  return listAll(operations.listSuppliers).some(
    ({ type, source }) => type !== 'sandbox' && source === 'shared',
  )
}

/**
 * Registers the sandbox's suppliers and models. It is idempotent, and changes that an operator made to models and
 * routes stay: only missing ones are added.
 */
async function registerSandbox(operations: LocalOperations): Promise<void> {
  for (const [id, formats] of SUPPLIERS) await registerSupplier(operations, sandboxSupplier(id, formats))
  const knownModels = new Set(listAll(operations.listModels).map((model) => model.id))
  for (const model of MODELS) {
    if (!knownModels.has(model.id)) await operations.putModel(catalogModel(model), ACTOR)
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
    listAll(operations.listRoutes).map(({ modelId, supplierId }) => routeKey(modelId, supplierId)),
  )
  for (const model of MODELS) {
    for (const [index, supplierId] of model.suppliers.entries()) {
      if (known.has(routeKey(model.id, supplierId))) continue
      const formats = model.formats?.filter((format) => formatsOf(supplierId).includes(format)) ?? null
      const settings = { ...sandboxRoute(model, index + 1), formats }
      await operations.putRoute({ modelId: model.id, supplierId }, settings, ACTOR)
    }
  }
}

/** Disables the built-in sandbox as a supplier. One that an operator registered at another address stays. */
async function retireSandbox(operations: LocalOperations): Promise<void> {
  for (const supplier of listAll(operations.listSuppliers)) {
    const isBuiltIn = SUPPLIERS.some(([id]) => id === supplier.id)
    if (isBuiltIn && supplier.type === 'sandbox' && supplier.enabled) {
      await operations.putSupplier({ ...supplier, enabled: false }, ACTOR)
    }
  }
}

function sandboxSupplier(id: string, formats: readonly Format[]): Supplier {
  // Only the origin: the supplier type adds each format's own path.
  return { ...SupplierPut.read({ type: 'sandbox', base_url: SANDBOX_ORIGIN }), id, formats }
}

function credential() {
  const settings = CredentialCreate.read({ secret: SANDBOX_CREDENTIAL, label: 'built in' })
  return { ...settings, state: 'active' } as const
}

function formatsOf(supplierId: SupplierId): readonly Format[] {
  return SUPPLIERS.find(([id]) => id === supplierId)?.[1] ?? []
}

function catalogModel({ id, description, kinds, capabilities }: SandboxModel): ModelSettings {
  const limits = { input_token_limit: 128_000, output_token_limit: 16_384 }
  return { ...ModelPut.read({ owned_by: 'turnpike', description, kinds, capabilities, ...limits }), id }
}

function sandboxRoute({ id, price }: SandboxModel, priority: number): RouteSettings {
  return { ...RoutePut.read({ upstream_model: id, priority }), price }
}
