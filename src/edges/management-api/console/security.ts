import { renderSVG } from 'uqr'
import { formatTime } from '../../../vocabulary/time.ts'
import type { ConsoleEndpoint } from './console-endpoint.ts'
import { answerSignedOut, bodyReader, type ConsoleParts, withEntry } from './parts.ts'
import { CodeBody, PasswordBody, ProofBody } from './schema.ts'

/** How a user guards what is theirs: sessions, password, second factor. */
export function securityEndpoints(parts: ConsoleParts): ConsoleEndpoint[] {
  return [
    listSessions(parts),
    endSession(parts),
    changePassword(parts),
    beginSecondFactor(parts),
    confirmSecondFactor(parts),
    disableSecondFactor(parts),
  ]
}

function listSessions({ identity }: ConsoleParts): ConsoleEndpoint {
  return {
    method: 'GET',
    path: '/sessions',
    access: 'signed-in',
    handle: async (_, { visitor }) => {
      const sessions = await identity.listSessions(visitor)
      const data = sessions.map((session) => ({
        id: session.id,
        created_at: formatTime(session.createdAtMs),
        last_seen_at: formatTime(session.lastSeenAtMs),
        address: session.address,
        user_agent: session.userAgent,
        current: session.id === visitor.session.id,
      }))
      return Response.json({ data })
    },
  }
}

function endSession(parts: ConsoleParts): ConsoleEndpoint {
  return {
    method: 'DELETE',
    path: '/sessions/:id',
    access: 'signed-in',
    handle: async ({ params }, { visitor }) => {
      const id = params.id ?? ''
      await parts.identity.endSession(visitor, id)
      const body = { id, deleted: true }
      return id === visitor.session.id ? answerSignedOut(parts, body) : Response.json(body)
    },
  }
}

function changePassword(parts: ConsoleParts): ConsoleEndpoint {
  const readBody = bodyReader(PasswordBody)
  return {
    method: 'POST',
    path: '/password',
    access: 'signed-in',
    handle: async (exchange, { visitor }) => {
      const { current, new: next } = await readBody(exchange)
      const entry = await parts.identity.changePassword(visitor, { current, next })
      return withEntry(parts, entry, Response.json({}))
    },
  }
}

function beginSecondFactor({ identity }: ConsoleParts): ConsoleEndpoint {
  return {
    method: 'POST',
    path: '/totp/begin',
    access: 'signed-in',
    handle: async (_, { visitor }) => {
      const { secret, uri } = await identity.beginSecondFactor(visitor)
      return Response.json({ secret, uri, qr_svg: renderSVG(uri, { ecc: 'M' }) })
    },
  }
}

function confirmSecondFactor(parts: ConsoleParts): ConsoleEndpoint {
  const readBody = bodyReader(CodeBody)
  return {
    method: 'POST',
    path: '/totp/confirm',
    access: 'signed-in',
    handle: async (exchange, { visitor }) => {
      const { code } = await readBody(exchange)
      const { entry, recoveryCodes } = await parts.identity.confirmSecondFactor(visitor, code)
      return withEntry(parts, entry, Response.json({ recovery_codes: recoveryCodes }))
    },
  }
}

function disableSecondFactor(parts: ConsoleParts): ConsoleEndpoint {
  const readBody = bodyReader(ProofBody)
  return {
    method: 'POST',
    path: '/totp/disable',
    access: 'signed-in',
    handle: async (exchange, { visitor }) => {
      const { password = null, code = null } = await readBody(exchange)
      const entry = await parts.identity.disableSecondFactor(visitor, { password, code })
      return withEntry(parts, entry, Response.json({}))
    },
  }
}
