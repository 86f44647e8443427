import { insertMember } from '../../wire/json-members.ts'
import { MAX_REPLY_BYTES, readText } from '../../wire/read-text.ts'
import { isKnownOrAdded, rewriteMembers } from '../hosted-messages.ts'
import { noAddress, trimSlashes } from '../styles.ts'
import type { CallQuery, CallTarget, CallTools, SupplierType } from '../supplier-type.ts'
import { readRefusal } from './exceptions.ts'
import { FRAMED_STREAM, readStream } from './read-stream.ts'
import { type BedrockSecret, checkSecret, piecesOf, readSecret, type SignedCall, sign } from './sign.ts'

/** Amazon Bedrock: Claude models in the messages format, others in the chat-completion format; and embeddings. */
export const bedrock: SupplierType = {
  name: 'bedrock',
  label: 'Amazon Bedrock',
  exampleUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  aborts: 'prompt',
  formats: ['messages', 'chat-completion', 'cohere', 'titan'],
  options: ['region', 'betas'],
  checkSecret,
  takesBeta: (beta, { betas }) => isKnownOrAdded(beta, BETAS, betas),
  target: bedrockTarget,
}

const VERSION = 'bedrock-2023-05-31'
const SERVICE = 'bedrock'

/** Beta features that this host knows. It refuses requests with others. */
const BETAS: ReadonlySet<string> = new Set([
  'compact-2026-01-12',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
])

function bedrockTarget(query: CallQuery, tools: CallTools): CallTarget | Promise<CallTarget> {
  const call = callOf(query)
  const secret = readSecret(query.secret)
  const isCohere = query.format === 'cohere'
  const readResponse = (response: Response) =>
    isCohere && response.ok ? addTokenCount(response) : readAnswer(response, secret)
  if (secret.type === 'bearer') {
    const headers = { ...call.headers, authorization: `Bearer ${secret.key}` }
    return { ...call, headers, readResponse }
  }
  const scope = { keys: secret, region: regionOf(query), service: SERVICE, nowMs: tools.clock.nowMs() }
  return sign(call, scope).then((headers) => ({ ...call, headers, readResponse }))
}

function callOf(query: CallQuery): SignedCall {
  if (query.operation === 'count-tokens') throw noAddress(query)
  const baseUrl = trimSlashes(query.baseUrl)
  const headers = { 'content-type': 'application/json' }
  switch (query.format) {
    case 'messages':
      return { url: `${baseUrl}${invokePath(query)}`, headers, body: messagesBody(query) }
    case 'chat-completion':
      return { url: `${baseUrl}/openai/v1/chat/completions`, headers, body: query.body }
    case 'cohere':
    case 'titan':
      if (query.operation !== 'embed') throw noAddress(query)
      return { url: `${baseUrl}${invokePath(query)}`, headers, body: embedBody(query) }
    default:
      throw noAddress(query)
  }
}

/** The address names the model, and the body may not name it again. */
function embedBody({ body }: CallQuery): string {
  return rewriteMembers(body, { model: null })
}

// A model may be named by an ARN, whose slashes and colons belong to the name.
function invokePath({ upstreamModel, stream }: CallQuery): string {
  const method = stream ? 'invoke-with-response-stream' : 'invoke'
  return `/model/${encodeURIComponent(upstreamModel)}/${method}`
}

/** The address says which model and whether in a stream, and the body may not say it again. */
function messagesBody({ body, betas = [] }: CallQuery): string {
  return rewriteMembers(body, {
    model: null,
    stream: null,
    anthropic_version: VERSION,
    anthropic_beta: betas.length === 0 ? null : betas,
  })
}

const REGION_IN_HOST = /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./

function regionOf({ baseUrl, options }: CallQuery): string {
  const region = options.region ?? REGION_IN_HOST.exec(new URL(baseUrl).hostname)?.[1]
  if (region === undefined) throw new Error('the address names no region; set the option region')
  return region
}

function readAnswer(response: Response, secret: BedrockSecret): Response | Promise<Response> {
  if (!response.ok) return readRefusal(response, piecesOf(secret))
  const isFramed = response.headers.get('content-type')?.includes(FRAMED_STREAM) === true
  return isFramed ? readStream(response) : response
}

/** Only a header says how many tokens a Cohere model has read; in the format it stands in the body. */
async function addTokenCount(response: Response): Promise<Response> {
  const tokens = Number(response.headers.get('x-amzn-bedrock-input-token-count') ?? Number.NaN)
  if (!Number.isSafeInteger(tokens) || tokens < 0) return response
  const text = await readText(response, MAX_REPLY_BYTES)
  const meta = JSON.stringify({ billed_units: { input_tokens: tokens } })
  const { status, headers } = response
  const isObject = text?.trimStart().startsWith('{') === true
  return new Response(isObject ? insertMember(text, 'meta', meta) : text, {
    status,
    headers: { 'content-type': headers.get('content-type') ?? 'application/json' },
  })
}
