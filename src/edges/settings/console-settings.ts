import { SettingError } from './setting-error.ts'
import type { Settings } from './settings.ts'

interface TextReader {
  text(name: string): string | null
}

const ISSUER = 'TURNPIKE_OIDC_ISSUER'
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** The provider to sign in with: all of it or nothing. Its secret is never repeated. */
export function readOidc(read: TextReader): Settings['oidc'] {
  const issuer = read.text(ISSUER)
  if (issuer === null) return null
  requireSafeIssuer(issuer)
  return {
    issuer,
    clientId: requireText(read, 'TURNPIKE_OIDC_CLIENT_ID'),
    clientSecret: requireText(read, 'TURNPIKE_OIDC_CLIENT_SECRET'),
    name: read.text('TURNPIKE_OIDC_NAME') ?? 'Single sign-on',
  }
}

// Over plain http anybody on the way could say who somebody is.
function requireSafeIssuer(issuer: string): void {
  const url = URL.parse(issuer)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname))
  if (!isSafe) throw new SettingError(`${ISSUER} cannot be used; it takes an https address.`)
}

function requireText(read: TextReader, name: string): string {
  const text = read.text(name)
  if (text === null) throw new SettingError(`${name} is not set; it is required with ${ISSUER}.`)
  return text
}
