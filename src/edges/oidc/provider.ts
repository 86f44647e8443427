import type { Configuration } from 'openid-client'
import type { OutsideFlow, OutsideIdentity, OutsideProvider } from '../../manage/ports/identity.ts'
import type { Clock } from '../../vocabulary/clock.ts'

export interface OidcSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** What the button says. */
  readonly name: string
}

const PATIENCE_SECONDS = 10
/** Providers change their keys and addresses, so their metadata is fetched again after this long. */
const KEPT_MS = 60 * 60 * 1_000

/**
 * OpenID Connect by the authorization code flow with PKCE. The library checks state, nonce, issuer, audience and times;
 * the signature of the identity token is checked too, although it comes straight from the provider.
 */
export function createOidcProvider(settings: OidcSettings, clock: Clock): OutsideProvider {
  const findConfiguration = keepFor(KEPT_MS, clock, () => discover(settings))
  return {
    name: settings.name,
    begin: async (callbackUrl) => begin(await findConfiguration(), callbackUrl),
    finish: async (query, flow) => finish(await findConfiguration(), query, flow),
  }
}

/** The library is loaded with the first sign-in: few gateways have a provider. */
const loadClient = () => import('openid-client')

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const client = await loadClient()
  const url = new URL(issuer)
  // The settings allow plain http for this machine only.
  const allow = url.protocol === 'http:' ? [client.allowInsecureRequests] : []
  const found = await client.discovery(url, clientId, clientSecret, undefined, {
    execute: [...allow, client.enableNonRepudiationChecks],
    timeout: PATIENCE_SECONDS,
  })
  const methods = found.serverMetadata().token_endpoint_auth_methods_supported
  if (methods?.includes('client_secret_post')) return found
  // The default when the provider's metadata does not say.
  const authentication = client.ClientSecretBasic(clientSecret)
  const configuration = new client.Configuration(
    found.serverMetadata(),
    clientId,
    clientSecret,
    authentication,
  )
  configuration.timeout = PATIENCE_SECONDS
  for (const execute of [...allow, client.enableNonRepudiationChecks]) execute(configuration)
  return configuration
}

async function begin(configuration: Configuration, callbackUrl: string) {
  const client = await loadClient()
  const verifier = client.randomPKCECodeVerifier()
  const flow: OutsideFlow = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier,
    callbackUrl,
  }
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl,
    scope: 'openid email profile',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: flow.state,
    nonce: flow.nonce,
  })
  return { url: url.href, flow }
}

async function finish(
  configuration: Configuration,
  query: string,
  flow: OutsideFlow,
): Promise<OutsideIdentity> {
  const client = await loadClient()
  const tokens = await client.authorizationCodeGrant(configuration, new URL(`${flow.callbackUrl}?${query}`), {
    pkceCodeVerifier: flow.verifier,
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('The provider returned no identity token.')
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: typeof claims.email === 'string' ? claims.email : null,
    isEmailVerified: claims.email_verified === true,
    name: typeof claims.name === 'string' ? claims.name : null,
  }
}

/** Fetched once for all concurrent callers, and again when it is old or has failed. */
function keepFor<T>(keptMs: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let kept: { readonly value: Promise<T>; readonly askedAtMs: number } | null = null
  return () => {
    if (kept !== null && clock.nowMs() - kept.askedAtMs < keptMs) return kept.value
    const asked = { value: ask(), askedAtMs: clock.nowMs() }
    kept = asked
    asked.value.catch(() => {
      if (kept === asked) kept = null
    })
    return asked.value
  }
}
