import {
  InviteJoin,
  InviteOffer,
  InviteToken,
  PasswordForgotten,
  PasswordRenewal,
} from '../../../vocabulary/people/invite.ts'
import { SessionState } from '../../../vocabulary/user.ts'
import { DONE, one, withCookies } from '../endpoint.ts'
import { consoleDefiner, MAX_FORM_BYTES } from './console-endpoint.ts'
import { type ConsoleParts, clientContextOf, describeSession } from './parts.ts'
import { enter } from './session.ts'

const define = consoleDefiner<ConsoleParts>()
const common = { method: 'POST', maxBodyBytes: MAX_FORM_BYTES } as const
const session = one(SessionState, 'The session, for the console page.')

/** What people do with a link they were given. Tokens are sent in bodies, because paths are logged. */
export const linkEndpoints = [
  define({
    ...common,
    tag: 'Console: invitations',
    access: 'public',
    path: '/invites/show',
    id: 'consoleShowInvite',
    summary: 'Show what an invitation is for',
    body: InviteToken,
    answer: one(InviteOffer),
    handle: ({ identity }, { body, exchange }) => identity.showInvite(body.token, clientContextOf(exchange)),
  }),
  define({
    ...common,
    tag: 'Console: invitations',
    access: 'signed-in',
    path: '/invites/accept',
    id: 'consoleAcceptInvite',
    summary: 'Accept an invitation',
    body: InviteToken,
    answer: session,
    handle: async (parts, { body: { token }, exchange, visit: { visitor } }) =>
      describeSession(
        parts,
        await parts.identity.acceptInvite({ token, visitor }, clientContextOf(exchange)),
      ),
  }),
  define({
    ...common,
    tag: 'Console: invitations',
    access: 'public',
    path: '/invites/join',
    id: 'consoleJoinByInvite',
    summary: 'Accept an invitation as a new user',
    description: 'Works while sign-up is off.',
    body: InviteJoin,
    answer: withCookies(session),
    handle: async (parts, { body, exchange, visit }) =>
      enter(parts, await parts.identity.joinByInvite(body, clientContextOf(exchange)), visit.visitor),
  }),
  define({
    ...common,
    tag: 'Console: security',
    access: 'public',
    path: '/password/forgotten',
    id: 'consoleForgetPassword',
    summary: 'Ask for a link to a new password',
    description: 'The answer is the same whether or not a user has the address.',
    body: PasswordForgotten,
    answer: DONE,
    handle: ({ identity }, { body, exchange }) => {
      identity.forgetPassword(body.email, clientContextOf(exchange))
      return {}
    },
  }),
  define({
    ...common,
    tag: 'Console: security',
    access: 'public',
    path: '/password/renewal',
    id: 'consoleRenewPassword',
    summary: 'Set a new password with the token of such a link',
    description: 'Ends every session of the user.',
    body: PasswordRenewal,
    answer: DONE,
    handle: async ({ identity }, { body, exchange }) => {
      await identity.renewPassword(body, clientContextOf(exchange))
      return {}
    },
  }),
]
