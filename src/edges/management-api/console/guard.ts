import { GatewayError } from '../../../errors/gateway-error.ts'
import { asGatewayError } from '../../../errors/render-error.ts'
import { actorOfUser, type Door, type Visitor } from '../../../manage/ports/identity.ts'
import type { Endpoint, Exchange, Reply } from '../../../serve/ports/exchange.ts'
import { hasRight, RIGHTS, type Right, type Role } from '../../../vocabulary/words.ts'
import {
  ACCOUNT_PATH,
  type Access,
  type AccountVisit,
  CONSOLE_PATH,
  type ConsoleEndpoint,
  type Visit,
} from './console-endpoint.ts'

/** On every answer: it must not be cached, framed, run as a script, or leak to other sites. */
export const SAFETY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** A served endpoint with its access, which a test checks for every one of them. */
export interface GuardedEndpoint extends Endpoint {
  readonly access: Access
}

export interface ConsoleGuard {
  readonly door: Door
  /** Resolves when the changes of other nodes are applied here; absent when there are none. */
  readonly catchUp?: () => Promise<void>
}

/** The guarded endpoint. There is no other way to serve a console endpoint. */
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

/** Membership can only be checked when the path names the account. */
function requireAccountInPath({ access, method, path }: ConsoleEndpoint): void {
  if (access in RIGHTS !== path.startsWith(ACCOUNT_PATH)) {
    throw new Error(
      `${method} ${path} has access "${access}", which does not fit its path: only paths of one account have members.`,
    )
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
    default:
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

/** An account does not exist for users who are not members. */
function visitAccount(right: Right, exchange: Exchange, visit: Visit): AccountVisit {
  const accountId = exchange.params.account ?? ''
  const { user, memberships } = visit.visitor
  const membership = memberships.find((candidate) => candidate.accountId === accountId)
  const role = membership?.role ?? (user.isOperator ? 'operator' : null)
  if (role === null) throw new GatewayError('not_found', 'There is no such account.')
  if (!user.isOperator && role !== 'operator' && !hasRight(role, right)) {
    throw new GatewayError('permission_denied', `Your role in the account is ${role}. ${whoMay(right)}`)
  }
  return { ...visit, accountId, role }
}

function whoMay(right: Right): string {
  const roles: readonly Role[] = RIGHTS[right]
  return roles.length === 1 ? `Only its ${roles[0]} may do this.` : `It takes one of: ${roles.join(', ')}.`
}

function withSafety(answer: Response | Reply): Response | Reply {
  if (!(answer instanceof Response)) return { ...answer, headers: { ...answer.headers, ...SAFETY_HEADERS } }
  for (const [name, value] of Object.entries(SAFETY_HEADERS)) answer.headers.set(name, value)
  return answer
}
