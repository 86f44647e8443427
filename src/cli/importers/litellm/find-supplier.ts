import { BUILT_IN_CATALOG } from '../../../rules/catalog/built-in/built-in-catalog.ts'
import type { Format, ModelKind, Supplier } from '../../../vocabulary/supply.ts'
import { type Deployment, plainOf, textOf } from './read-config.ts'

/** Where a deployment is served. */
export interface FoundSupplier {
  /** What its id begins with. */
  readonly name: string
  readonly type: Supplier['type']
  readonly baseUrl: string
  readonly options: Readonly<Record<string, string>>
  readonly upstreamModel: string
  /** Null for all that its type speaks. */
  readonly formats: readonly Format[] | null
  /** The variable that LiteLLM reads when the file names no key. */
  readonly keyVariable: string
}

/** What LiteLLM calls a vendor, where the catalog has another name. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  gemini: 'google',
  together_ai: 'together',
  fireworks_ai: 'fireworks',
  nvidia_nim: 'nvidia',
  codestral: 'mistral',
  text_completion_openai: 'openai',
  'text-completion-openai': 'openai',
  moonshot: 'moonshot',
  dashscope: 'qwen',
  ollama_chat: 'ollama',
  hosted_vllm: 'vllm',
  lm_studio: 'lm-studio',
  github: 'github-models',
  perplexity: 'perplexity',
}

interface Mode {
  readonly kind: ModelKind
  readonly format: Format
}

const CHAT: Mode = { kind: 'text', format: 'chat-completion' }
const MODES: Readonly<Record<string, Mode>> = {
  chat: CHAT,
  completion: { kind: 'text', format: 'completions' },
  responses: { kind: 'text', format: 'responses' },
  embedding: { kind: 'embedding', format: 'embeddings' },
  rerank: { kind: 'rerank', format: 'rerank' },
  moderation: { kind: 'moderation', format: 'moderations' },
  image_generation: { kind: 'image', format: 'images' },
  audio_transcription: { kind: 'transcription', format: 'transcriptions' },
  audio_speech: { kind: 'speech', format: 'speech' },
}

/** What a deployment does; null for what Turnpike has not. */
export function modeOf({ info }: Deployment): Mode | null {
  const mode = textOf(info.mode)
  return mode === null ? CHAT : (MODES[mode] ?? null)
}

/** Null when it is not known where the deployment is served. */
export function findSupplier(deployment: Deployment): FoundSupplier | null {
  const { params } = deployment
  const given = textOf(params.model) ?? ''
  const provider = textOf(params.custom_llm_provider) ?? providerOf(given)
  const upstreamModel = given.startsWith(`${provider}/`) ? given.slice(provider.length + 1) : given
  const base = plainOf(params.api_base ?? params.base_url)?.replace(/\/+$/, '') ?? null
  const asked = { deployment, upstreamModel, base }
  switch (provider) {
    case 'azure':
      return base === null ? null : azure(asked, base)
    case 'bedrock':
      return bedrock(asked)
    case 'vertex_ai':
    case 'vertex_ai_beta':
      return vertex(asked)
    default:
      return fromCatalog(OTHER_NAMES[provider] ?? provider, asked)
  }
}

/** LiteLLM knows the makers of the best-known models without a prefix. */
function providerOf(model: string): string {
  const slash = model.indexOf('/')
  if (slash > 0) return model.slice(0, slash)
  if (model.startsWith('claude')) return 'anthropic'
  return model.startsWith('gemini') ? 'vertex_ai' : 'openai'
}

interface Asked {
  readonly deployment: Deployment
  readonly upstreamModel: string
  readonly base: string | null
}

function azure({ deployment, upstreamModel }: Asked, baseUrl: string): FoundSupplier {
  const version = plainOf(deployment.params.api_version)
  return {
    name: 'azure',
    type: 'azure-openai',
    baseUrl,
    options: version === null ? {} : { api_version: version },
    upstreamModel,
    formats: null,
    keyVariable: 'AZURE_API_KEY',
  }
}

function bedrock({ deployment, upstreamModel, base }: Asked): FoundSupplier {
  const region = plainOf(deployment.params.aws_region_name) ?? 'us-east-1'
  const model = upstreamModel.replace(/^(converse|invoke)\//, '')
  return {
    name: 'bedrock',
    type: 'bedrock',
    baseUrl: base ?? `https://bedrock-runtime.${region}.amazonaws.com`,
    options: {},
    upstreamModel: model,
    formats: [bedrockFormat(model)],
    keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
  }
}

function bedrockFormat(model: string): Format {
  if (model.includes('anthropic.')) return 'messages'
  if (model.includes('titan-embed')) return 'titan'
  return model.includes('cohere.embed') ? 'cohere' : 'chat-completion'
}

function vertex({ deployment, upstreamModel, base }: Asked): FoundSupplier {
  const { vertex_project, vertex_location } = deployment.params
  const project = plainOf(vertex_project)
  const location = plainOf(vertex_location) ?? 'us-central1'
  const host = location === 'global' ? 'aiplatform' : `${location}-aiplatform`
  return {
    name: 'vertex',
    type: 'vertex',
    baseUrl: base ?? `https://${host}.googleapis.com`,
    options: { location, ...(project !== null && { project }) },
    upstreamModel,
    formats: [upstreamModel.startsWith('claude') ? 'messages' : 'content-generation'],
    keyVariable: 'VERTEX_CREDENTIALS',
  }
}

function fromCatalog(vendorName: string, { deployment, upstreamModel, base }: Asked): FoundSupplier | null {
  const vendor = BUILT_IN_CATALOG.vendors.find((known) => known.vendor === vendorName)
  const format = modeOf(deployment)?.format ?? 'chat-completion'
  if (vendor === undefined || (base !== null && vendor.type === 'openai')) {
    if (base === null) return null
    // A server with OpenAI's paths: what speaks the other formats is known by its name.
    return {
      name: vendorName === 'openai' ? (URL.parse(base)?.hostname ?? vendorName) : vendorName,
      type: 'openai-compatible',
      baseUrl: base,
      options: {},
      upstreamModel,
      formats: [format],
      keyVariable: `${vendorName.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_API_KEY`,
    }
  }
  const isCompatible = vendor.type === 'openai-compatible'
  return {
    name: vendor.vendor,
    type: vendor.type,
    baseUrl: base === null ? vendor.base_url : withVersion(vendorName, base),
    options: {},
    upstreamModel,
    formats: isCompatible ? [format] : null,
    keyVariable: vendor.key_variables[0] ?? 'API_KEY',
  }
}

/** LiteLLM takes the address of Ollama itself; its OpenAI paths begin with `/v1`. */
function withVersion(vendor: string, base: string): string {
  return vendor === 'ollama' && !base.endsWith('/v1') ? `${base}/v1` : base
}
