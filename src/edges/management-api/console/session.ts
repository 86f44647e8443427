import type { Entry, Visitor } from '../../../manage/ports/identity.ts'
import {
  clearCookie,
  DEVICE_COOKIE,
  readCookie,
  SESSION_COOKIE,
  VISIT_COOKIE,
  writeCookie,
} from '../../../rules/access/console-session.ts'
import { ProfileChange, SessionState, SignIn, SignUp } from '../../../vocabulary/user.ts'
import { DONE, one, type WithCookies, withCookies } from '../endpoint.ts'
import { consoleDefiner, MAX_FORM_BYTES } from './console-endpoint.ts'
import { type ConsoleParts, clientContextOf, describeSession, entryCookies } from './parts.ts'

const VISIT_SECONDS = 12 * 60 * 60
const VISIT_BYTES = 32

const define = consoleDefiner<ConsoleParts>()
const common = { tag: 'Console: session', maxBodyBytes: MAX_FORM_BYTES } as const
const session = one(SessionState, 'The session, for the console page.')

export const sessionEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/session',
    access: 'public',
    id: 'consoleSession',
    summary: 'Show who is signed in',
    description: 'A visitor without a session gets a cookie that must accompany later requests.',
    answer: withCookies(session),
    handle: (parts, { exchange, visit }) => {
      if (visit.visitor !== null) return { result: describeSession(parts, visit.visitor), cookies: [] }
      const { door } = parts.identity
      const known = readCookie(exchange.headers, VISIT_COOKIE, door)
      const value = known ?? makeVisit()
      const cookie = { name: VISIT_COOKIE, value, maxAgeSeconds: VISIT_SECONDS }
      const cookies = known === null ? [writeCookie(cookie, door)] : []
      return { result: describeSession(parts, value), cookies }
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: '/sign-in',
    access: 'public',
    id: 'consoleSignIn',
    summary: 'Sign in',
    body: SignIn,
    answer: withCookies(session),
    handle: async (parts, { body, exchange, visit }) => {
      const { identity } = parts
      const device = readCookie(exchange.headers, DEVICE_COOKIE, identity.door)
      return enter(
        parts,
        await identity.signIn({ ...body, device }, clientContextOf(exchange)),
        visit.visitor,
      )
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: '/sign-up',
    access: 'public',
    id: 'consoleSignUp',
    summary: "Sign up, with an account of one's own",
    body: SignUp,
    answer: withCookies(session),
    handle: async (parts, { body, exchange, visit }) =>
      enter(parts, await parts.identity.signUp(body, clientContextOf(exchange)), visit.visitor),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/sign-out',
    access: 'signed-in',
    id: 'consoleSignOut',
    summary: 'End this session',
    answer: withCookies(DONE),
    handle: async ({ identity }, { visit }) => {
      await identity.signOut(visit.visitor)
      return { result: {}, cookies: [clearCookie(SESSION_COOKIE, identity.door)] }
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: '/sign-out-everywhere',
    access: 'signed-in',
    id: 'consoleSignOutEverywhere',
    summary: 'End every session and forget every browser',
    answer: withCookies(DONE),
    handle: async ({ identity }, { visit }) => {
      await identity.signOutEverywhere(visit.visitor)
      const gone = [SESSION_COOKIE, DEVICE_COOKIE]
      return { result: {}, cookies: gone.map((name) => clearCookie(name, identity.door)) }
    },
  }),
  define({
    ...common,
    method: 'PATCH',
    path: '/profile',
    access: 'signed-in',
    id: 'consoleChangeProfile',
    summary: "Change one's name",
    body: ProfileChange,
    answer: session,
    handle: async (parts, { body, visit }) =>
      describeSession(parts, await parts.identity.rename(visit.visitor, body.name)),
  }),
]

/** Signing in ends the session that the browser had before. */
export async function enter(
  parts: ConsoleParts,
  entry: Entry,
  before: Visitor | null,
): Promise<WithCookies<SessionState>> {
  if (before !== null) await parts.identity.signOut(before)
  const cookies = entryCookies(entry, parts.identity.door)
  return { result: describeSession(parts, entry.visitor), cookies }
}

function makeVisit(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(VISIT_BYTES))).toString('base64url')
}
