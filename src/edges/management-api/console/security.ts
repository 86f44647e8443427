import { renderSVG } from 'uqr'
import { clearCookie, SESSION_COOKIE } from '../../../rules/access/console-session.ts'
import {
  FactorCode,
  FactorProof,
  FactorSecret,
  PasswordChange,
  RecoveryCodes,
  SessionList,
} from '../../../vocabulary/user.ts'
import { DELETED, DONE, one, withCookies } from '../endpoint.ts'
import { consoleDefiner, MAX_FORM_BYTES } from './console-endpoint.ts'
import { type ConsoleParts, entryCookies } from './parts.ts'

const define = consoleDefiner<ConsoleParts>()
const common = { tag: 'Console: security', access: 'signed-in', maxBodyBytes: MAX_FORM_BYTES } as const

/** How a user guards what is theirs: sessions, password, second factor. */
export const securityEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/sessions',
    id: 'consoleListSessions',
    summary: "List one's sessions, newest first",
    answer: one(SessionList, 'All of them.'),
    handle: async ({ identity }, { visit }) => ({ data: await identity.listSessions(visit.visitor) }),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: '/sessions/:id',
    id: 'consoleEndSession',
    summary: "End one of one's sessions",
    answer: withCookies(DELETED),
    handle: async ({ identity }, { params, visit }) => {
      await identity.endSession(visit.visitor, params.id)
      const isOwn = params.id === visit.visitor.session.id
      return { result: params.id, cookies: isOwn ? [clearCookie(SESSION_COOKIE, identity.door)] : [] }
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: '/password',
    id: 'consoleChangePassword',
    summary: "Change one's password",
    description: 'Ends every other session, and gives this one another cookie.',
    body: PasswordChange,
    answer: withCookies(DONE),
    handle: async ({ identity }, { body, visit }) => {
      const entry = await identity.changePassword(visit.visitor, body)
      return { result: {}, cookies: entryCookies(entry, identity.door) }
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: '/totp/begin',
    id: 'consoleBeginSecondFactor',
    summary: 'Begin to set up a second factor',
    description: 'It protects nothing until a code has shown that the app knows the secret.',
    answer: one(FactorSecret, 'A new secret for the authenticator app.'),
    handle: async ({ identity }, { visit }) => {
      const { secret, uri } = await identity.beginSecondFactor(visit.visitor)
      return { secret, uri, qrSvg: renderSVG(uri, { ecc: 'M' }) }
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: '/totp/confirm',
    id: 'consoleConfirmSecondFactor',
    summary: 'Switch the second factor on',
    body: FactorCode,
    answer: withCookies(one(RecoveryCodes, 'Codes for whoever loses the app, shown once.')),
    handle: async ({ identity }, { body, visit }) => {
      const { entry, recoveryCodes } = await identity.confirmSecondFactor(visit.visitor, body.code)
      return { result: { recoveryCodes }, cookies: entryCookies(entry, identity.door) }
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: '/totp/disable',
    id: 'consoleDisableSecondFactor',
    summary: 'Switch the second factor off',
    body: FactorProof,
    answer: withCookies(DONE),
    handle: async ({ identity }, { body, visit }) => {
      const entry = await identity.disableSecondFactor(visit.visitor, body)
      return { result: {}, cookies: entryCookies(entry, identity.door) }
    },
  }),
]
