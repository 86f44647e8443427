import type { Format } from '../../vocabulary/supply.ts'
import { noAddress, trimSlashes } from '../styles.ts'
import type { CallQuery, CallTarget, SupplierOperation, SupplierType } from '../supplier-type.ts'

type Paths = Readonly<Partial<Record<SupplierOperation, string>>>

const PATHS: Readonly<Partial<Record<CallQuery['format'], Paths>>> = {
  'chat-completion': { generate: '/chat/completions' },
  responses: { generate: '/responses', compact: '/responses/compact' },
  images: { 'generate-image': '/images/generations', 'edit-image': '/images/edits' },
  completions: { generate: '/completions' },
  embeddings: { embed: '/embeddings' },
  transcriptions: { transcribe: '/audio/transcriptions', 'translate-audio': '/audio/translations' },
  speech: { speak: '/audio/speech' },
}

/** OpenAI models on Azure; the upstream model is the name of a deployment. */
export const azureOpenai: SupplierType = {
  name: 'azure-openai',
  label: 'Azure OpenAI',
  exampleUrl: 'https://<resource>.openai.azure.com',
  aborts: 'prompt',
  formats: Object.keys(PATHS) as readonly Format[],
  options: ['api_version'],
  target: azureTarget,
}

function azureTarget(query: CallQuery): CallTarget {
  const path = PATHS[query.format]?.[query.operation ?? 'generate']
  if (path === undefined) throw noAddress(query)
  return {
    url: `${resourceOf(query.baseUrl)}/openai${addressOf(query, path)}`,
    headers: { 'content-type': 'application/json', 'api-key': query.secret },
  }
}

/** Azure shows the address in three lengths, and all of them mean the same resource. */
function resourceOf(baseUrl: string): string {
  return trimSlashes(baseUrl).replace(/\/openai(\/v1)?$/, '')
}

const DATED = /^\d{4}-\d{2}-\d{2}/

function addressOf({ format, options, upstreamModel }: CallQuery, path: string): string {
  const version = options.api_version
  if (version === undefined) return `/v1${path}`
  const query = `?api-version=${encodeURIComponent(version)}`
  // Only dated versions have addresses of their own; `preview` is the current address with more in it.
  if (!DATED.test(version)) return `/v1${path}${query}`
  if (format === 'responses') return `${path}${query}`
  return `/deployments/${encodeURIComponent(upstreamModel)}${path}${query}`
}
