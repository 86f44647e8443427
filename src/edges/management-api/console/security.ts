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

/** Sessions, password and second factor of a user. */
export const securityEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/sessions',
    id: 'consoleListSessions',
    summary: "List one's sessions, newest first",
    answer: one(SessionList, 'All sessions.'),
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
    description: 'Ends every other session and gives this one a new cookie.',
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
    summary: 'Start to set up a second factor',
    description: 'It is not active until you confirm it with a code from the app.',
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
    summary: 'Turn the second factor on',
    body: FactorCode,
    answer: withCookies(one(RecoveryCodes, 'Recovery codes in case the app is lost, shown once.')),
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
    summary: 'Turn the second factor off',
    body: FactorProof,
    answer: withCookies(DONE),
    handle: async ({ identity }, { body, visit }) => {
      const entry = await identity.disableSecondFactor(visit.visitor, body)
      return { result: {}, cookies: entryCookies(entry, identity.door) }
    },
  }),
]
