import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import type { Clock } from '../../../src/vocabulary/clock.ts'
import { askSandbox } from './sandbox-behind.ts'

/** Stands where Google does: gives out tokens for signed assertions, and lets a sandbox answer who shows one. */
export interface VertexServer {
  readonly url: string
  readonly tokenUri: string
  /** The key file of a service account, on one line. */
  readonly secret: string
  /** Claims of every assertion that was accepted. */
  readonly assertions: readonly Readonly<Record<string, unknown>>[]
  readonly calls: readonly { readonly path: string; readonly token: string; readonly body: unknown }[]
  /** Lets everything that is asked for a token wait for this. */
  holdTokens(until: Promise<unknown>): void
  /** Answers every further request for a token with this. */
  refuseTokens(refusal: (() => Response) | null): void
  stop(): Promise<void>
}

const EMAIL = 'robot@test-project.iam.gserviceaccount.com'
const KEY_ID = 'key-of-the-tests'
const TOKEN_SECONDS = 3_600
const SKEW_SECONDS = 300

interface State {
  readonly clock: Clock
  readonly sandboxUrl: string
  readonly publicKey: KeyObject
  readonly assertions: Record<string, unknown>[]
  readonly calls: { path: string; token: string; body: unknown }[]
  readonly expiries: Map<string, number>
  held: Promise<unknown>
  refusal: (() => Response) | null
}

export function startVertexServer(clock: Clock, sandboxUrl: string): VertexServer {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const state: State = {
    clock,
    sandboxUrl,
    publicKey,
    assertions: [],
    calls: [],
    expiries: new Map(),
    held: Promise.resolve(),
    refusal: null,
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    fetch: (request) =>
      new URL(request.url).pathname === '/token' ? giveToken(request, state) : serve(request, state),
  })
  const url = `http://127.0.0.1:${server.port}`
  return {
    url,
    tokenUri: `${url}/token`,
    secret: JSON.stringify({
      type: 'service_account',
      project_id: 'test-project',
      private_key_id: KEY_ID,
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      client_email: EMAIL,
      token_uri: 'https://oauth2.googleapis.com/token',
    }),
    assertions: state.assertions,
    calls: state.calls,
    holdTokens: (until) => {
      state.held = until
    },
    refuseTokens: (refusal) => {
      state.refusal = refusal
    },
    stop: () => server.stop(true),
  }
}

async function giveToken(request: Request, state: State): Promise<Response> {
  await state.held
  if (state.refusal !== null) return state.refusal()
  const form = new URLSearchParams(await request.text())
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
    return Response.json({ error: 'unsupported_grant_type' }, { status: 400 })
  const claims = checkAssertion(form.get('assertion') ?? '', { state, audience: request.url })
  if (typeof claims === 'string')
    return Response.json({ error: 'invalid_grant', error_description: claims }, { status: 400 })
  state.assertions.push(claims)
  const token = `ya29.${state.assertions.length}`
  state.expiries.set(token, state.clock.nowMs() + TOKEN_SECONDS * 1000)
  return Response.json({ access_token: token, expires_in: TOKEN_SECONDS, token_type: 'Bearer' })
}

/** The claims of an assertion as Google would accept it, or what is wrong with it. */
function checkAssertion(
  assertion: string,
  { state, audience }: { state: State; audience: string },
): Record<string, unknown> | string {
  const [header = '', claims = '', signature = ''] = assertion.split('.')
  const { alg, typ, kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
  if (alg !== 'RS256' || typ !== 'JWT' || kid !== KEY_ID) return 'Invalid JWT header.'
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    state.publicKey,
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return 'Invalid JWT Signature.'
  const { iss, aud, scope, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const nowSeconds = state.clock.nowMs() / 1000
  if (iss !== EMAIL || aud !== audience) return 'Invalid issuer or audience.'
  if (Math.abs(iat - nowSeconds) > SKEW_SECONDS || exp <= nowSeconds || exp - iat > 3_600)
    return 'Token must be a short-lived token and in a reasonable timeframe.'
  if (scope !== 'https://www.googleapis.com/auth/cloud-platform') return 'Invalid scope.'
  return { iss, aud, scope, iat, exp }
}

const RESOURCE =
  /^\/v1\/projects\/test-project\/locations\/us-east5\/publishers\/(google|anthropic)\/models\/([^/:]+):(\w+)$/

async function serve(request: Request, state: State): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const token = request.headers.get('authorization')?.replace(/^Bearer /, '') ?? ''
  const body = JSON.parse(await request.text())
  state.calls.push({ path: pathname + search, token, body })
  if ((state.expiries.get(token) ?? 0) <= state.clock.nowMs())
    return refuse(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.')
  const [, publisher, model = '', method = ''] = RESOURCE.exec(pathname) ?? []
  if (method === 'predict' || method === 'embedContent')
    // The sandbox knows its models by short names only.
    return askSandbox(state.sandboxUrl, pathname.replace('gemini-sandbox', 'sandbox'), body)
  if (publisher === 'google')
    return askSandbox(state.sandboxUrl, `/v1beta/models/${model}:${method}${search}`, body)
  if (publisher === 'anthropic') return serveClaude(decodeURIComponent(model), { method, body, state })
  return refuse(404, 'NOT_FOUND', 'No such resource.')
}

interface ClaudeCall {
  readonly method: string
  readonly body: Readonly<Record<string, unknown>>
  readonly state: State
}

async function serveClaude(model: string, { method, body, state }: ClaudeCall): Promise<Response> {
  const { anthropic_version, ...rest } = body
  if (anthropic_version !== 'vertex-2023-10-16') return refuse(400, 'INVALID_ARGUMENT', 'anthropic_version')
  if (model === 'count-tokens') return askSandbox(state.sandboxUrl, '/v1/messages/count_tokens', rest)
  if ('model' in rest) return refuse(400, 'INVALID_ARGUMENT', 'model: Extra inputs are not permitted')
  if ((method === 'streamRawPredict') !== (rest.stream === true))
    return refuse(400, 'INVALID_ARGUMENT', 'stream')
  return askSandbox(state.sandboxUrl, '/v1/messages', { ...rest, model })
}

function refuse(code: number, status: string, message: string): Response {
  return Response.json({ error: { code, message, status } }, { status: code })
}
