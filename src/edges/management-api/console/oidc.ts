import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Identity, OutsideSignIn } from '../../../manage/ports/identity.ts'
import {
  clearCookie,
  OUTSIDE_COOKIE,
  readCookie,
  writeCookie,
} from '../../../rules/access/console-session.ts'
import type { Exchange } from '../../../serve/ports/exchange.ts'
import { raw } from '../endpoint.ts'
import { CONSOLE_PATH, consoleDefiner } from './console-endpoint.ts'
import { type ConsoleParts, clientContextOf, entryCookies } from './parts.ts'

const CALLBACK = '/oidc/callback'
const HOME = '/console/'
const SIGN_IN_PAGE = '/console/sign-in'
const FLOW_SECONDS = 600

const define = consoleDefiner<ConsoleParts>()
const common = { method: 'GET', tag: 'Console: session', access: 'public' } as const

/** Sign-in with OpenID Connect: the browser goes to the provider and comes back with a code. */
export const oidcEndpoints = [
  define({
    ...common,
    path: '/oidc/start',
    id: 'consoleOidcStart',
    summary: 'Start to sign in with OpenID Connect',
    answer: raw({ description: 'Sends the browser to the provider.', status: 302 }),
    handle: async (parts, { exchange }) => {
      const { identity } = parts
      const begun = await requireOutside(identity).begin(callbackUrl(parts, exchange))
      if (typeof begun === 'string') return redirect(`${SIGN_IN_PAGE}?error=${begun}`)
      const cookie = { name: OUTSIDE_COOKIE, value: begun.ticket, maxAgeSeconds: FLOW_SECONDS }
      return redirect(begun.url, [writeCookie(cookie, identity.door)])
    },
  }),
  define({
    ...common,
    path: CALLBACK,
    id: 'consoleOidcCallback',
    summary: 'Finish signing in with OpenID Connect',
    answer: raw({ description: 'Redirects to the console, signed in or with an error.', status: 302 }),
    handle: async ({ identity }, { exchange, visit }) => {
      const ticket = readCookie(exchange.headers, OUTSIDE_COOKIE, identity.door)
      const returned = { query: exchange.query, ticket }
      const result = await requireOutside(identity).finish(returned, clientContextOf(exchange))
      const forgotten = clearCookie(OUTSIDE_COOKIE, identity.door)
      if (typeof result === 'string') return redirect(`${SIGN_IN_PAGE}?error=${result}`, [forgotten])
      if (visit.visitor !== null) await identity.signOut(visit.visitor)
      return redirect(HOME, [forgotten, ...entryCookies(result, identity.door)])
    },
  }),
]

function requireOutside({ outside }: Identity): OutsideSignIn {
  if (outside !== null) return outside
  throw new GatewayError('not_found', 'OpenID Connect sign-in is not configured.')
}

// The provider redirects only to registered addresses, so a forged host is harmless.
function callbackUrl({ publicUrl }: ConsoleParts, { headers }: Exchange): string {
  const base = publicUrl ?? `http://${headers.get('host') ?? 'localhost'}`
  return `${base.replace(/\/+$/, '')}${CONSOLE_PATH}${CALLBACK}`
}

function redirect(location: string, cookies: readonly string[] = []): Response {
  const response = new Response(null, { status: 302, headers: { location } })
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}
