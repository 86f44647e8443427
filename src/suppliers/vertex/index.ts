import { isKnownOrAdded, rewriteMembers } from '../hosted-messages.ts'
import { noAddress, trimSlashes } from '../styles.ts'
import type { CallQuery, CallTarget, CallTools, SupplierType } from '../supplier-type.ts'
import { embeddingLimits, embedMethodOf, encodeEmbedBody, readEmbedResponse } from './embed.ts'
import { checkServiceAccount, fetchToken, readServiceAccount, type ServiceAccount } from './fetch-token.ts'

/** Google's Vertex AI: its own models in the content-generation format, Claude models in the messages format. */
export const vertex: SupplierType = {
  name: 'vertex',
  label: 'Google Vertex AI',
  exampleUrl: 'https://us-central1-aiplatform.googleapis.com',
  aborts: 'prompt',
  formats: ['content-generation', 'messages'],
  options: ['project', 'location', 'token_uri', 'betas'],
  checkSecret: checkServiceAccount,
  takesBeta: (beta, { betas }) => isKnownOrAdded(beta, BETAS, betas),
  embeddingLimits: ({ upstreamModel }) => embeddingLimits(upstreamModel),
  target: vertexTarget,
}

const VERSION = 'vertex-2023-10-16'
// Not the one in the secret: the owner of a credential must not choose where this program sends requests.
const TOKEN_URI = 'https://oauth2.googleapis.com/token'

/** Beta features that this host knows. It refuses requests with others. */
const BETAS: ReadonlySet<string> = new Set([
  'compact-2026-01-12',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-management-2025-06-27',
  'interleaved-thinking-2025-05-14',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
])

function vertexTarget(query: CallQuery, tools: CallTools): CallTarget | Promise<CallTarget> {
  const account = readServiceAccount(query.secret)
  if (account === null) throw new Error('the credential is no service account')
  const url = vertexUrl(query, account)
  const tokenUri = query.options.token_uri ?? TOKEN_URI
  const token = tools.tokens.get(`${tokenUri} ${query.secret}`, () => fetchToken(account, tokenUri, tools))
  const aim = (known: string): CallTarget => ({
    url,
    headers: headersOf(query, known),
    body: bodyOf(query),
    ...(query.operation === 'embed' && { readResponse: readEmbedResponse }),
  })
  return typeof token === 'string' ? aim(token) : token.then(aim)
}

function headersOf({ betas = [] }: CallQuery, token: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
  }
}

function bodyOf({ format, operation, body, upstreamModel }: CallQuery): string {
  if (operation === 'embed' && body !== '') return encodeEmbedBody(body, embedMethodOf(upstreamModel))
  if (format !== 'messages') return body
  // The address of a generation names the model; that of a count is the same for all of them.
  const isCount = operation === 'count-tokens'
  return rewriteMembers(body, { ...(!isCount && { model: null }), anthropic_version: VERSION })
}

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
function generateMethod({ stream, operation, upstreamModel }: CallQuery): string {
  if (operation === 'embed') return embedMethodOf(upstreamModel)
  return stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
}
