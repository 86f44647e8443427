import { timingSafeEqual } from 'node:crypto'
import { GatewayError } from '../../errors/gateway-error.ts'
import {
  isFromOwnPage,
  readCookie,
  SESSION_COOKIE,
  VISIT_COOKIE,
} from '../../rules/access/console-session.ts'
import { actorOfUser, type ConsoleRequest, type Door, type Visitor } from '../ports/identity.ts'
import type { IdentityParts } from './parts.ts'

const HARMLESS = ['GET', 'HEAD']

/** Identifies console users by their session cookie and checks requests against CSRF. */
export function createDoor({ sessions, secrets, publicUrl }: IdentityParts): Door {
  const isSecure = publicUrl?.startsWith('https:') ?? false
  const forgeryToken = (whose: Visitor | string) =>
    secrets.fingerprint(typeof whose === 'string' ? `visit ${whose}` : `forgery ${whose.session.id}`)
  return {
    isSecure,
    forgeryToken,
    findVisitor: async (headers) => {
      const token = readCookie(headers, SESSION_COOKIE, { isSecure })
      return token === null ? null : sessions.find(token)
    },
    requireOwnDoing: (request, visitor) => {
      if (HARMLESS.includes(request.method)) return
      if (!isFromOwnPage(request.headers, publicUrl)) {
        throw new GatewayError(
          'permission_denied',
          'This request comes from a page of another site. Only pages of this gateway may send it.',
        )
      }
      const whose = visitor ?? readCookie(request.headers, VISIT_COOKIE, { isSecure })
      if (whose === null || !carriesToken(request, forgeryToken(whose))) {
        throw new GatewayError(
          'permission_denied',
          'The x-csrf-token header is missing or does not match this session. Reload the page.',
        )
      }
    },
  }
}

function carriesToken({ headers }: ConsoleRequest, expected: string): boolean {
  const given = Buffer.from(headers.get('x-csrf-token') ?? '')
  const wanted = Buffer.from(expected)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

export async function findOperator(door: Door, request: ConsoleRequest): Promise<string | null> {
  const visitor = await door.findVisitor(request.headers)
  if (visitor === null) return null
  door.requireOwnDoing(request, visitor)
  if (visitor.user.isOperator) return actorOfUser(visitor.user)
  throw new GatewayError('permission_denied', 'Only operators may do this.')
}
