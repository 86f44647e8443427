import { GatewayError } from '../../../errors/gateway-error.ts'
import { asGatewayError } from '../../../errors/render-error.ts'
import { actorOfUser, type Door, type Visitor } from '../../../manage/ports/identity.ts'
import type { Endpoint, Exchange, Reply } from '../../../serve/ports/exchange.ts'
import {
  ACCOUNT_PATH,
  type Access,
  type AccountVisit,
  CONSOLE_PATH,
  type ConsoleEndpoint,
  type Visit,
} from './console-endpoint.ts'

/** On every answer: nothing of it is kept, framed, run, or told to other sites. */
export const SAFETY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** An endpoint that is served, and says of itself who may ask: a test holds every one of them to it. */
export interface GuardedEndpoint extends Endpoint {
  readonly access: Access
}

export interface ConsoleGuard {
  readonly door: Door
  /** Resolves when whatever other nodes have changed is in force here; absent where there are none. */
  readonly catchUp?: () => Promise<void>
}

/** The endpoint as it is served. There is no other way from a console endpoint to one that is. */
export function guardConsoleEndpoint(endpoint: ConsoleEndpoint, guard: ConsoleGuard): GuardedEndpoint {
  requireAccountInPath(endpoint)
  const { access, method, contract } = endpoint
  return {
    access,
    method,
    ...(contract && { contract }),
    path: `${CONSOLE_PATH}${endpoint.path}`,
    handle: async (exchange) => {
      try {
        return withSafety(await admit(endpoint, exchange, guard))
      } catch (thrown) {
        throw asGatewayError(thrown).withHeaders(SAFETY_HEADERS)
      }
    },
  }
}

/** Who is a member of what cannot be told from a path that names no account. */
function requireAccountInPath({ access, method, path }: ConsoleEndpoint): void {
  const isOfAccount = access === 'member' || access === 'owner'
  if (isOfAccount !== path.startsWith(ACCOUNT_PATH)) {
    throw new Error(`${method} ${path} is for ${access} and must say of which account, or must not.`)
  }
}

async function admit(
  endpoint: ConsoleEndpoint,
  exchange: Exchange,
  { door, catchUp }: ConsoleGuard,
): Promise<Response | Reply> {
  const visitor = await door.findVisitor(exchange.headers)
  if (endpoint.access !== 'public' && visitor === null) {
    throw new GatewayError('auth_required', 'Sign in first.')
  }
  door.requireOwnDoing(exchange, visitor)
  await catchUp?.()
  if (endpoint.access === 'public') return endpoint.handle(exchange, { visitor })
  const visit = visitOf(visitor)
  exchange.actor = visit.actor
  switch (endpoint.access) {
    case 'signed-in':
      return endpoint.handle(exchange, visit)
    case 'operator':
      requireOperator(visit.visitor)
      return endpoint.handle(exchange, visit)
    case 'member':
    case 'owner':
      return endpoint.handle(exchange, visitAccount(endpoint.access, exchange, visit))
  }
}

function visitOf(visitor: Visitor | null): Visit {
  if (visitor === null) throw new GatewayError('auth_required', 'Sign in first.')
  return { visitor, actor: actorOfUser(visitor.user) }
}

function requireOperator({ user }: Visitor): void {
  if (!user.isOperator) throw new GatewayError('permission_denied', 'Only operators may do this.')
}

/** To somebody who has nothing to do with an account, it does not exist. */
function visitAccount(access: 'member' | 'owner', exchange: Exchange, visit: Visit): AccountVisit {
  const accountId = exchange.params.account ?? ''
  const { user, memberships } = visit.visitor
  const membership = memberships.find((candidate) => candidate.accountId === accountId)
  const role = membership?.role ?? (user.isOperator ? 'operator' : null)
  if (role === null) throw new GatewayError('not_found', 'There is no such account.')
  if (access === 'owner' && role === 'member' && !user.isOperator) {
    throw new GatewayError('permission_denied', 'Only owners of the account may do this.')
  }
  return { ...visit, accountId, role }
}

function withSafety(answer: Response | Reply): Response | Reply {
  if (!(answer instanceof Response)) return { ...answer, headers: { ...answer.headers, ...SAFETY_HEADERS } }
  for (const [name, value] of Object.entries(SAFETY_HEADERS)) answer.headers.set(name, value)
  return answer
}
