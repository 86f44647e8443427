import type { Usage } from '../../../conversation/usage.ts'
import type { ObservedRoute } from '../../../serve/ports/request-observer.ts'
import type { Attempt, Settlement } from '../../../vocabulary/settlement.ts'
import type { Format, Supplier, SupplierTypeName } from '../../../vocabulary/supply.ts'

/** The conventions' names of providers, by the type of supplier. */
const BY_TYPE: Partial<Record<SupplierTypeName, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  'azure-openai': 'azure.ai.openai',
  cohere: 'cohere',
}

/** By the end of the host, for suppliers that speak the format of another. */
const BY_HOST: readonly (readonly [host: string, provider: string])[] = [
  ['openai.com', 'openai'],
  ['anthropic.com', 'anthropic'],
  ['deepseek.com', 'deepseek'],
  ['groq.com', 'groq'],
  ['mistral.ai', 'mistral_ai'],
  ['moonshot.ai', 'moonshot_ai'],
  ['moonshot.cn', 'moonshot_ai'],
  ['x.ai', 'x_ai'],
  ['cohere.com', 'cohere'],
  ['cohere.ai', 'cohere'],
  ['perplexity.ai', 'perplexity'],
  ['generativelanguage.googleapis.com', 'gcp.gemini'],
  ['ml.cloud.ibm.com', 'ibm.watsonx.ai'],
  ['models.ai.azure.com', 'azure.ai.inference'],
]

/** How telemetry names a supplier. */
export interface Provider {
  readonly name: string
  readonly address: string | null
  readonly port: number | null
}

// The configuration replaces a supplier as a whole, so what was derived from one stays right.
const known = new WeakMap<Supplier, Provider>()

export function providerOf(supplier: Supplier): Provider {
  const provider = known.get(supplier) ?? describe(supplier)
  known.set(supplier, provider)
  return provider
}

function describe({ id, type, baseUrl }: Supplier): Provider {
  const url = URL.parse(baseUrl)
  const host = url?.hostname ?? ''
  const byHost = BY_HOST.find(([end]) => host === end || host.endsWith(`.${end}`))?.[1]
  return {
    name: (type === 'openai-compatible' ? byHost : BY_TYPE[type]) ?? id,
    address: host === '' ? null : host,
    port: url === null ? null : Number(url.port) || (url.protocol === 'http:' ? 80 : 443),
  }
}

/** The name that stands for no supplier, when none was asked. */
export const NO_PROVIDER: Provider = { name: 'none', address: null, port: null }

export function supplierNamed(id: string | undefined, routes: readonly ObservedRoute[]): Supplier | null {
  // Every attempt of a traced request comes here: `find` with its closure took a quarter of the time that spans take.
  for (const { supplier } of routes) if (supplier.id === id) return supplier
  return null
}

const OPERATIONS: Partial<Record<Format, string>> = {
  completions: 'text_completion',
  embeddings: 'embeddings',
  images: 'generate_image',
  rerank: 'rerank',
  moderations: 'moderate',
  transcriptions: 'transcribe',
  speech: 'generate_speech',
}

/** The conventions have no name for some operations; those have one of ours. */
export function operationOf(format: Format): string {
  return OPERATIONS[format] ?? 'chat'
}

/** The conventions count cached tokens as input; the classes of a settlement are disjoint. */
export function inputTokensOf({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite
}

/** Null when the request went well; a client that leaves is not an error of anyone. */
export function errorTypeOf({ outcome, attempts }: Settlement): string | null {
  if (outcome === 'completed' || outcome === 'client_left') return null
  const last = attempts[attempts.length - 1]
  return (last === undefined ? null : attemptErrorOf(last)) ?? outcome
}

const KIND = /^[a-z-]{1,32}/

/** The status that the supplier answered with, else the kind of failure; null when the attempt did not fail. */
export function attemptErrorOf({ result, status, failure }: Attempt): string | null {
  if (result !== 'failed' && result !== 'refused') return null
  if (status !== null) return String(status)
  return KIND.exec(failure ?? '')?.[0] ?? result
}
