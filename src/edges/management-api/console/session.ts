import {
  clearCookie,
  DEVICE_COOKIE,
  readCookie,
  VISIT_COOKIE,
  writeCookie,
} from '../../../rules/access/cookies.ts'
import type { ConsoleEndpoint } from './console-endpoint.ts'
import {
  answerEntry,
  answerSignedOut,
  bodyReader,
  type ConsoleParts,
  describeSession,
  whereaboutsOf,
} from './parts.ts'
import { ProfileBody, SignInBody, SignUpBody } from './schema.ts'

const VISIT_SECONDS = 12 * 60 * 60
const VISIT_BYTES = 32

export function sessionEndpoints(parts: ConsoleParts): ConsoleEndpoint[] {
  const { identity } = parts
  return [
    showSession(parts),
    signIn(parts),
    signUp(parts),
    {
      method: 'POST',
      path: '/sign-out',
      access: 'signed-in',
      handle: async (_, { visitor }) => {
        await identity.signOut(visitor)
        return answerSignedOut(parts)
      },
    },
    {
      method: 'POST',
      path: '/sign-out-everywhere',
      access: 'signed-in',
      handle: async (_, { visitor }) => {
        await identity.signOutEverywhere(visitor)
        const response = answerSignedOut(parts)
        response.headers.append('set-cookie', clearCookie(DEVICE_COOKIE, identity.door))
        return response
      },
    },
    changeProfile(parts),
  ]
}

/** Whoever is not signed in gets a cookie of their own, which what they send must go with. */
function showSession(parts: ConsoleParts): ConsoleEndpoint {
  const { door } = parts.identity
  return {
    method: 'GET',
    path: '/session',
    access: 'public',
    handle: ({ headers }, { visitor }) => {
      if (visitor !== null) return Response.json(describeSession(parts, visitor))
      const known = readCookie(headers, VISIT_COOKIE, door)
      const value = known ?? makeVisit()
      const response = Response.json(describeSession(parts, value))
      const cookie = { name: VISIT_COOKIE, value, maxAgeSeconds: VISIT_SECONDS }
      if (known === null) response.headers.append('set-cookie', writeCookie(cookie, door))
      return response
    },
  }
}

function makeVisit(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(VISIT_BYTES))).toString('base64url')
}

function signIn(parts: ConsoleParts): ConsoleEndpoint {
  const readBody = bodyReader(SignInBody)
  const { identity } = parts
  return {
    method: 'POST',
    path: '/sign-in',
    access: 'public',
    handle: async (exchange, { visitor }) => {
      const { email, password, code = null } = await readBody(exchange)
      const device = readCookie(exchange.headers, DEVICE_COOKIE, identity.door)
      const entry = await identity.signIn({ email, password, code, device }, whereaboutsOf(exchange))
      // Whoever signs in leaves the session they came with, whosever it was.
      if (visitor !== null) await identity.signOut(visitor)
      return answerEntry(parts, entry)
    },
  }
}

function signUp(parts: ConsoleParts): ConsoleEndpoint {
  const readBody = bodyReader(SignUpBody)
  const { identity } = parts
  return {
    method: 'POST',
    path: '/sign-up',
    access: 'public',
    handle: async (exchange, { visitor }) => {
      const entry = await identity.signUp(await readBody(exchange), whereaboutsOf(exchange))
      if (visitor !== null) await identity.signOut(visitor)
      return answerEntry(parts, entry)
    },
  }
}

function changeProfile(parts: ConsoleParts): ConsoleEndpoint {
  const readBody = bodyReader(ProfileBody)
  return {
    method: 'PATCH',
    path: '/profile',
    access: 'signed-in',
    handle: async (exchange, { visitor }) => {
      const { name } = await readBody(exchange)
      return Response.json(describeSession(parts, await parts.identity.rename(visitor, name)))
    },
  }
}
