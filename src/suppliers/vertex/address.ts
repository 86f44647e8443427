import { type CallQuery, noAddress, trimSlashes } from '../supplier-type.ts'
import type { ServiceAccount } from './service-account.ts'

/** Where a call goes: publishers, models and methods all stand in the path. */
export function vertexUrl(query: CallQuery, account: ServiceAccount): string {
  const baseUrl = trimSlashes(query.baseUrl).replace(/\/v1(beta1)?$/, '')
  const project = query.options.project ?? account.projectId
  if (project === null) throw new Error('the service account names no project; set the option project')
  const place = `projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(locationOf(query))}`
  return `${baseUrl}/v1/${place}/publishers/${resourceOf(query)}`
}

const REGIONAL_HOST = /^([a-z0-9-]+)-aiplatform\.googleapis\.com$/
const JOINED_HOST = /^aiplatform\.([a-z0-9-]+)\.rep\.googleapis\.com$/
const GLOBAL_HOST = 'aiplatform.googleapis.com'

function locationOf({ baseUrl, options }: CallQuery): string {
  const { hostname } = new URL(baseUrl)
  const named = options.location ?? (REGIONAL_HOST.exec(hostname) ?? JOINED_HOST.exec(hostname))?.[1]
  if (named !== undefined) return named
  if (hostname === GLOBAL_HOST) return 'global'
  throw new Error('the address names no location; set the option location')
}

function resourceOf(query: CallQuery): string {
  const model = encodeURIComponent(query.upstreamModel)
  const isCount = query.operation === 'count-tokens'
  switch (query.format) {
    case 'content-generation':
      return `google/models/${model}:${isCount ? 'countTokens' : generateMethod(query)}`
    case 'messages':
      return isCount
        ? 'anthropic/models/count-tokens:rawPredict'
        : `anthropic/models/${model}:${query.stream ? 'streamRawPredict' : 'rawPredict'}`
    default:
      throw noAddress(query)
  }
}

// Without `alt=sse` the service sends one JSON list instead of events.
function generateMethod({ stream }: CallQuery): string {
  return stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
}
