import Type, { type Static } from 'typebox'
import { encodeModel, encodeModelList, isListed } from '../protocols/content-generation/index.ts'
import { KeySettings, type RoutePolicy } from '../vocabulary/api-key.ts'
import type { Contract, Parameter } from '../vocabulary/runtime/contract.ts'
import { SUPPLIER_TYPES } from '../vocabulary/supply.ts'
import { FORMATS, MODEL_KINDS } from '../vocabulary/words.ts'
import { availableModel, availableModels, listedModel, modelNotFound } from './admission/find-model.ts'
import { limitOf, MODEL_SOURCES, protocolsOf, sourceOf } from './admission/model-facts.ts'
import type { Caller, Target } from './admission/prepared-request.ts'
import type { Gateway } from './gateway.ts'
import { lookUp } from './look-up.ts'
import type { Exchange, Reply } from './ports/exchange.ts'

/** A model as a key sees it. */
const ModelEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  type: Type.Literal('model'),
  created: Type.Integer({ description: 'Unix time in seconds.' }),
  created_at: Type.String({ description: 'The same as an RFC 3339 time.' }),
  owned_by: Type.String(),
  display_name: Type.String(),
  gateway: Type.Object({
    route_policy: Type.Unsafe<RoutePolicy>(KeySettings.fields.routePolicy.codec.schema),
    provider_types: Type.Array(Type.Enum([...SUPPLIER_TYPES])),
    protocols: Type.Array(Type.Enum([...FORMATS]), {
      description: 'Formats its suppliers speak; clients may use any.',
    }),
    source: Type.Enum([...MODEL_SOURCES], {
      description: 'Whose credentials may serve: of the platform, of the account itself, or both.',
    }),
    kinds: Type.Array(Type.Enum([...MODEL_KINDS]), {
      description:
        'What it does: `text` answers with text, `image` generates images, `image-edit` edits them, `embedding` embeds texts, `rerank` ranks documents, `moderation` moderates content, `transcription` transcribes audio, `speech` speaks.',
    }),
    limits: Type.Optional(
      Type.Object(
        { rpm: Type.Optional(Type.Integer()), tpm: Type.Optional(Type.Integer()) },
        { description: 'The limits in force for this key and model; absent when there are none.' },
      ),
    ),
    routeable: Type.Boolean({ description: 'Whether a supplier with a usable credential is there.' }),
  }),
})

const ModelEntryList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(ModelEntry),
  has_more: Type.Boolean(),
  first_id: Type.Union([Type.String(), Type.Null()]),
  last_id: Type.Union([Type.String(), Type.Null()]),
})

const EXAMPLE: Static<typeof ModelEntry> = {
  id: 'sandbox-chat',
  object: 'model',
  type: 'model',
  created: 1_800_000_000,
  created_at: '2027-01-15T08:00:00.000Z',
  owned_by: 'sandbox',
  display_name: 'Sandbox chat',
  gateway: {
    route_policy: { mode: 'intelligent' },
    provider_types: ['sandbox'],
    protocols: [FORMATS[0]],
    source: 'shared',
    kinds: ['text'],
    limits: { rpm: 60 },
    routeable: true,
  },
}

const GENERATION_HEADERS = ['x-goog-api-client', 'x-goog-api-key'] as const
const GENERATION_CLIENT: Parameter = {
  name: GENERATION_HEADERS[0],
  in: 'header',
  description: `With this header or \`${GENERATION_HEADERS[1]}\`, the answer is that of \`/v1beta/models\`.`,
}

export const listModelsContract: Contract = {
  id: 'listModels',
  tag: 'Models',
  summary: 'List the models this key may use',
  access: 'key',
  parameters: [GENERATION_CLIENT],
  answer: {
    description: 'In the order of their ids.',
    name: 'ModelList',
    schema: ModelEntryList,
    example: { object: 'list', data: [EXAMPLE], has_more: false, first_id: EXAMPLE.id, last_id: EXAMPLE.id },
  },
}

export const showModelContract: Contract = {
  id: 'showModel',
  tag: 'Models',
  summary: 'Show a model',
  access: 'key',
  documentPath: '/v1/models/{model}',
  parameters: [
    { name: 'model', in: 'path', description: 'A model id; its slashes may stand as they are.' },
    GENERATION_CLIENT,
  ],
  answer: { description: 'The model.', name: 'Model', schema: ModelEntry, example: EXAMPLE },
}

/** The models a key may use, as its route policy and allowlist stand at this moment. */
export function listModels(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  if (isGenerationClient(exchange)) return listGenerationModels(exchange, gateway)
  return lookUp(exchange, gateway, (caller) => {
    const data = availableModels(caller).map((target) => modelEntry(caller, target))
    const ends = { first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null }
    return { object: 'list', data, has_more: false, ...ends }
  })
}

export function showModel(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  if (isGenerationClient(exchange)) return showGenerationModel(exchange, gateway)
  return lookUp(exchange, gateway, (caller) => modelEntry(caller, availableModel(caller, idOf(exchange))))
}

/** The same models in the shape and pages of the content-generation family. */
export function listGenerationModels(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return lookUp(exchange, gateway, (caller) => {
    const { query } = exchange
    const page = { pageSize: query.get('pageSize'), pageToken: query.get('pageToken') }
    return encodeModelList(availableModels(caller).map(listedModel).filter(isListed), page)
  })
}

export function showGenerationModel(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return lookUp(exchange, gateway, (caller) => {
    const model = listedModel(availableModel(caller, idOf(exchange)))
    if (!isListed(model)) throw modelNotFound(model.id)
    return encodeModel(model)
  })
}

/** Official content-generation clients that call `/v1` share its model paths with everyone else. */
function isGenerationClient({ headers }: Exchange): boolean {
  return GENERATION_HEADERS.some((name) => headers.get(name) !== null)
}

function idOf(exchange: Exchange): string {
  return exchange.params['*'] ?? ''
}

function modelEntry(caller: Caller, target: Target): Static<typeof ModelEntry> {
  const { routes } = target
  const model = listedModel(target)
  return {
    id: model.id,
    object: 'model',
    type: 'model',
    created: Math.floor(model.createdAtMs / 1000),
    created_at: new Date(model.createdAtMs).toISOString(),
    owned_by: model.ownedBy,
    display_name: model.displayName,
    gateway: {
      route_policy: caller.key.routePolicy,
      provider_types: distinct(routes.map((route) => route.supplier.type)),
      protocols: [...protocolsOf(target)],
      source: sourceOf(routes),
      kinds: [...model.kinds],
      ...limitsOf(caller, target),
      routeable: routes.some((route) => route.credentials.length > 0),
    },
  }
}

function limitsOf(caller: Caller, target: Target) {
  const { rpm, tpm } = limitOf(caller, target)
  if (rpm === null && tpm === null) return {}
  return { limits: { ...(rpm && { rpm: rpm.value }), ...(tpm && { tpm: tpm.value }) } }
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
