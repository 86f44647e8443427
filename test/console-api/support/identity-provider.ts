import { createHash, createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'

export const CLIENT_ID = 'turnpike-console'
export const CLIENT_SECRET = 'client-secret-of-tests'

export type Algorithm = 'RS256' | 'ES256'

/** Who signs in at the provider, and what the provider gets wrong. */
export interface Script {
  readonly claims: Readonly<Record<string, unknown>>
  readonly algorithm: Algorithm
  /** Claims of the identity token that are not what they should be. */
  readonly forged: Readonly<Record<string, unknown>>
  /** Signs with a key that is not among those it publishes. */
  readonly signsWithOtherKey: boolean
  /** How the client must authenticate. */
  readonly authentication: 'client_secret_basic' | 'client_secret_post'
}

const USUAL: Script = {
  claims: { sub: 'subject-1', email: 'ada@example.com', email_verified: true, name: 'Ada' },
  algorithm: 'RS256',
  forged: {},
  signsWithOtherKey: false,
  authentication: 'client_secret_basic',
}

interface Grant {
  readonly challenge: string
  readonly nonce: string
  readonly redirectUri: string
}

const KEYS: Readonly<Record<Algorithm, () => { publicKey: KeyObject; privateKey: KeyObject }>> = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
}

/** A provider of OpenID Connect: discovery, keys, authorization and token endpoint, with real signatures and PKCE. */
export class IdentityProvider {
  readonly url: string
  script: Script = USUAL
  /** Addresses browsers may be sent back to; null for any. */
  readonly #server: Bun.Server<undefined>
  readonly #grants = new Map<string, Grant>()
  readonly #keys = { RS256: KEYS.RS256(), ES256: KEYS.ES256() }
  readonly #otherKeys = { RS256: KEYS.RS256(), ES256: KEYS.ES256() }

  constructor() {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      routes: {
        '/.well-known/openid-configuration': () => Response.json(this.#describe()),
        '/jwks': () => Response.json({ keys: this.#publicKeys() }),
        '/authorize': (request) => this.#authorize(new URL(request.url).searchParams),
        '/token': { POST: (request) => this.#token(request) },
      },
      fetch: () => new Response('', { status: 404 }),
    })
    this.url = `http://127.0.0.1:${this.#server.port}`
  }

  play(script: Partial<Script>): void {
    this.script = { ...USUAL, ...script }
  }

  stop(): Promise<void> {
    return this.#server.stop(true)
  }

  #describe(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [this.script.authentication],
    }
  }

  #publicKeys(): object[] {
    return (['RS256', 'ES256'] as const).map((algorithm) => ({
      ...this.#keys[algorithm].publicKey.export({ format: 'jwk' }),
      kid: algorithm,
      alg: algorithm,
      use: 'sig',
    }))
  }

  #authorize(query: URLSearchParams): Response {
    const [redirectUri, state, nonce, challenge] = ['redirect_uri', 'state', 'nonce', 'code_challenge'].map(
      (name) => query.get(name) ?? '',
    ) as [string, string, string, string]
    const isWhole = query.get('client_id') === CLIENT_ID && query.get('response_type') === 'code'
    const isGuarded = query.get('code_challenge_method') === 'S256' && challenge !== '' && nonce !== ''
    if (!isWhole || !isGuarded || !query.get('scope')?.includes('openid')) {
      return new Response('the request is not what it should be', { status: 400 })
    }
    const code = randomUUID()
    this.#grants.set(code, { challenge, nonce, redirectUri })
    return Response.redirect(`${redirectUri}?${new URLSearchParams({ code, state })}`, 302)
  }

  async #token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    const code = form.get('code') ?? ''
    const grant = this.#grants.get(code)
    // A code is worth something once.
    this.#grants.delete(code)
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight =
      grant !== undefined && verifier === grant.challenge && form.get('redirect_uri') === grant.redirectUri
    if (!this.#isClient(request.headers, form))
      return Response.json({ error: 'invalid_client' }, { status: 401 })
    if (!isRight) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    return Response.json({
      access_token: randomUUID(),
      token_type: 'Bearer',
      id_token: this.#signIdentity(grant),
    })
  }

  #isClient(headers: Headers, form: URLSearchParams): boolean {
    if (this.script.authentication === 'client_secret_post') {
      return form.get('client_id') === CLIENT_ID && form.get('client_secret') === CLIENT_SECRET
    }
    const expected = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')
    const given = decodeURIComponent(
      Buffer.from(headers.get('authorization')?.slice('Basic '.length) ?? '', 'base64').toString(),
    )
    return Buffer.from(given).toString('base64') === expected
  }

  #signIdentity({ nonce }: Grant): string {
    const { algorithm, claims, forged, signsWithOtherKey } = this.script
    const now = Math.floor(Date.now() / 1_000)
    const usual = { iss: this.url, aud: CLIENT_ID, iat: now, exp: now + 300, nonce }
    const parts = [
      { alg: algorithm, kid: algorithm, typ: 'JWT' },
      { ...usual, ...claims, ...forged },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    const keys = signsWithOtherKey ? this.#otherKeys : this.#keys
    const signature = createSign('sha256')
      .update(parts.join('.'))
      .sign({ key: keys[algorithm].privateKey, dsaEncoding: 'ieee-p1363' })
    return [...parts, signature.toString('base64url')].join('.')
  }
}
