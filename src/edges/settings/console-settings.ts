import { SettingError } from './setting-error.ts'
import type { Settings } from './settings.ts'

interface TextReader {
  text(name: string): string | null
}

const ISSUER = 'TURNPIKE_OIDC_ISSUER'
const CLIENT_ID = 'TURNPIKE_OIDC_CLIENT_ID'
const CLIENT_SECRET = 'TURNPIKE_OIDC_CLIENT_SECRET'
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** The provider to sign in with: all of it or nothing. Its secret is never repeated. */
export function readOidc(read: TextReader): Settings['oidc'] {
  const issuer = read.text(ISSUER)
  const name = read.text('TURNPIKE_OIDC_NAME') ?? 'Single sign-on'
  const clientId = read.text(CLIENT_ID)
  const clientSecret = read.text(CLIENT_SECRET)
  if (issuer === null) return null
  requireSafeIssuer(issuer)
  return {
    issuer,
    clientId: required(CLIENT_ID, clientId),
    clientSecret: required(CLIENT_SECRET, clientSecret),
    name,
  }
}

// Over plain http anybody on the way could say who somebody is.
function requireSafeIssuer(issuer: string): void {
  const url = URL.parse(issuer)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname))
  if (!isSafe) throw new SettingError(`${ISSUER} cannot be used; it takes an https address.`)
}

function required(name: string, text: string | null): string {
  if (text === null) throw new SettingError(`${name} is not set; it is required with ${ISSUER}.`)
  return text
}
