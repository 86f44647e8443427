import { createPrivateKey, sign } from 'node:crypto'
import { asObject, asText, type JsonObject, tryParseJson } from '../../wire/json-values.ts'
import { MAX_MESSAGE_BYTES, readText } from '../../wire/read-text.ts'
import type { AccessToken } from '../access-tokens.ts'
import type { CallTools } from '../supplier-type.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
// The longest Google allows.
const ASSERTION_SECONDS = 3_600
// All calls with this credential wait for the token, so the timeout is short.
const PATIENCE_MS = 10_000
const LONGEST_REASON = 200

/** Exchanges a signed assertion for an access token (RFC 7523). */
export async function fetchToken(
  account: ServiceAccount,
  tokenUri: string,
  tools: CallTools,
): Promise<AccessToken> {
  const nowMs = tools.clock.nowMs()
  const assertion = signAssertion(account, { tokenUri, issuedAtSeconds: Math.floor(nowMs / 1000) })
  const { status, body } = await ask(tokenRequest(tokenUri, assertion), tools)
  const token = asText(body.access_token)
  if (status !== 200 || token === null) throw new Error(describeRefusal(status, body, assertion))
  const expiresInSeconds = typeof body.expires_in === 'number' ? body.expires_in : ASSERTION_SECONDS
  return { token, expiresAtMs: nowMs + expiresInSeconds * 1000 }
}

interface AssertionFields {
  readonly tokenUri: string
  readonly issuedAtSeconds: number
}

function signAssertion(account: ServiceAccount, { tokenUri, issuedAtSeconds }: AssertionFields): string {
  const { privateKeyId, clientEmail, privateKey } = account
  const header = { alg: 'RS256', typ: 'JWT', ...(privateKeyId !== null && { kid: privateKeyId }) }
  const claims = {
    iss: clientEmail,
    scope: SCOPE,
    aud: tokenUri,
    iat: issuedAtSeconds,
    exp: issuedAtSeconds + ASSERTION_SECONDS,
  }
  const signed = `${encodePart(header)}.${encodePart(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}

function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function tokenRequest(tokenUri: string, assertion: string): Request {
  return new Request(tokenUri, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }),
    redirect: 'manual',
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
}

async function ask(request: Request, tools: CallTools): Promise<{ status: number; body: JsonObject }> {
  try {
    const response = await tools.call(request)
    const text = (await readText(response, MAX_MESSAGE_BYTES)) ?? ''
    return { status: response.status, body: asObject(tryParseJson(text)) ?? {} }
  } catch (cause) {
    throw new Error('the token endpoint does not answer', { cause })
  }
}

function describeRefusal(status: number, body: JsonObject, assertion: string): string {
  const reasons = [asText(body.error), asText(body.error_description)].filter((reason) => reason !== null)
  // The assertion is as good as a token for an hour, should anyone quote it.
  const reason = reasons.join(': ').replaceAll(assertion, '[removed]').slice(0, LONGEST_REASON)
  return `no access token was given out for the service account (status ${status}${reason && `, ${reason}`})`
}

/** The file Google gives out for a service account, as far as it is needed. */
export interface ServiceAccount {
  readonly clientEmail: string
  /** PEM. */
  readonly privateKey: string
  readonly privateKeyId: string | null
  readonly projectId: string | null
}

/** null when the text is no service account. */
export function readServiceAccount(secret: string): ServiceAccount | null {
  const file = asObject(tryParseJson(secret))
  const clientEmail = asText(file?.client_email)
  const privateKey = asText(file?.private_key)
  if (file === null || clientEmail === null || privateKey === null) return null
  return {
    clientEmail,
    privateKey,
    privateKeyId: asText(file.private_key_id),
    projectId: asText(file.project_id),
  }
}

export function checkServiceAccount(secret: string): string | null {
  const account = readServiceAccount(secret)
  if (account === null) {
    return 'secret must be the JSON of a service account key, with client_email and private_key.'
  }
  return isRsaKey(account.privateKey) ? null : 'private_key in secret must be an RSA key in PEM.'
}

function isRsaKey(privateKey: string): boolean {
  try {
    return createPrivateKey(privateKey).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
