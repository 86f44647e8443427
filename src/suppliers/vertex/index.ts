import { betasOf, rewriteMembers, withAddedBetas } from '../hosted-messages.ts'
import type { CallQuery, CallTarget, CallTools, SupplierType } from '../supplier-type.ts'
import { vertexUrl } from './address.ts'
import { fetchToken } from './fetch-token.ts'
import { checkServiceAccount, readServiceAccount } from './service-account.ts'

/** Google's Vertex AI: its own models in the content-generation format, Claude models in the messages format. */
export const vertex: SupplierType = {
  name: 'vertex',
  label: 'Google Vertex AI',
  exampleUrl: 'https://us-central1-aiplatform.googleapis.com',
  formats: ['content-generation', 'messages'],
  options: ['project', 'location', 'token_uri', 'betas'],
  checkSecret: checkServiceAccount,
  target: vertexTarget,
}

const VERSION = 'vertex-2023-10-16'
// Not the one in the secret: whoever may bring a credential must not choose where this program makes calls to.
const TOKEN_URI = 'https://oauth2.googleapis.com/token'

/** Features in test that change how one request is answered, and do not cost more than the route's price says. */
const BETAS = [
  'compact-2026-01-12',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-management-2025-06-27',
  'interleaved-thinking-2025-05-14',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
] as const

function vertexTarget(query: CallQuery, tools: CallTools): CallTarget | Promise<CallTarget> {
  const account = readServiceAccount(query.secret)
  if (account === null) throw new Error('the credential is no service account')
  const url = vertexUrl(query, account)
  const tokenUri = query.options.token_uri ?? TOKEN_URI
  const token = tools.tokens.get(`${tokenUri} ${query.secret}`, () => fetchToken(account, tokenUri, tools))
  const aim = (known: string): CallTarget => ({ url, headers: headersOf(query, known), body: bodyOf(query) })
  return typeof token === 'string' ? aim(token) : token.then(aim)
}

function headersOf({ format, clientHeaders, options }: CallQuery, token: string): Record<string, string> {
  const betas = format === 'messages' ? betasOf(clientHeaders, withAddedBetas(BETAS, options.betas)) : []
  return {
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
  }
}

function bodyOf({ format, operation, body }: CallQuery): string {
  if (format !== 'messages') return body
  // The address of a generation names the model; that of a count is the same for all of them.
  const isCount = operation === 'count-tokens'
  return rewriteMembers(body, { ...(!isCount && { model: null }), anthropic_version: VERSION })
}
