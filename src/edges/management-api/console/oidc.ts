import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Exchange } from '../../../gateway/ports/exchange.ts'
import type { Identity } from '../../../gateway/ports/identity.ts'
import type { OutsideSignIn } from '../../../gateway/ports/outside-identity.ts'
import { clearCookie, OUTSIDE_COOKIE, readCookie, writeCookie } from '../../../rules/access/cookies.ts'
import { CONSOLE_PATH, type ConsoleEndpoint } from './console-endpoint.ts'
import { type ConsoleParts, whereaboutsOf, withEntry } from './parts.ts'

const CALLBACK = '/oidc/callback'
const HOME = '/console/'
const SIGN_IN_PAGE = '/console/sign-in'
const FLOW_SECONDS = 600

/** Signing in elsewhere: the browser is sent there, and comes back with a code. */
export function oidcEndpoints(parts: ConsoleParts): ConsoleEndpoint[] {
  const { identity } = parts
  return [
    {
      method: 'GET',
      path: '/oidc/start',
      access: 'public',
      handle: async (exchange) => {
        const begun = await requireOutside(identity).begin(callbackUrl(parts, exchange))
        if (typeof begun === 'string') return redirect(`${SIGN_IN_PAGE}?error=${begun}`)
        const response = redirect(begun.url)
        const cookie = { name: OUTSIDE_COOKIE, value: begun.ticket, maxAgeSeconds: FLOW_SECONDS }
        response.headers.append('set-cookie', writeCookie(cookie, identity.door))
        return response
      },
    },
    {
      method: 'GET',
      path: CALLBACK,
      access: 'public',
      handle: async (exchange, { visitor }) => {
        const ticket = readCookie(exchange.headers, OUTSIDE_COOKIE, identity.door)
        const returned = { query: exchange.query, ticket }
        const result = await requireOutside(identity).finish(returned, whereaboutsOf(exchange))
        const isIn = typeof result === 'object'
        const response = redirect(isIn ? HOME : `${SIGN_IN_PAGE}?error=${result}`)
        response.headers.append('set-cookie', clearCookie(OUTSIDE_COOKIE, identity.door))
        if (!isIn) return response
        if (visitor !== null) await identity.signOut(visitor)
        return withEntry(parts, result, response)
      },
    },
  ]
}

function requireOutside({ outside }: Identity): OutsideSignIn {
  if (outside !== null) return outside
  throw new GatewayError('not_found', 'This gateway has no other provider to sign in with.')
}

// The provider sends browsers only to addresses it was told of, so a forged host leads nowhere.
function callbackUrl({ publicUrl }: ConsoleParts, { headers }: Exchange): string {
  const base = publicUrl ?? `http://${headers.get('host') ?? 'localhost'}`
  return `${base.replace(/\/+$/, '')}${CONSOLE_PATH}${CALLBACK}`
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } })
}
