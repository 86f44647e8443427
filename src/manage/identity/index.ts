import { AttemptThrottle, type ThrottleRule } from '../../rules/access/attempt-throttle.ts'
import { actorOfUser, type Identity, type UserOperations } from '../ports/identity.ts'
import { SharedThrottle, type Throttles } from './attempts.ts'
import { AuditLog } from './audit-log.ts'
import { forgetPassword, renewPassword } from './by-link/forgotten-password.ts'
import { acceptInvite, joinByInvite, showInvite } from './by-link/invites.ts'
import { createDoor, findOperator } from './door.ts'
import { createOutsideSignIn } from './outside-sign-in.ts'
import { changePassword, endSession, rename } from './own-account.ts'
import type { IdentityDependencies, IdentityParts } from './parts.ts'
import { PasswordHasher } from './passwords.ts'
import { beginSecondFactor, confirmSecondFactor, disableSecondFactor } from './second-factor.ts'
import { SessionStore } from './session-store.ts'
import { signIn } from './sign-in.ts'
import { signUp } from './sign-up.ts'
import { userOperations } from './users.ts'

const MINUTE_MS = 60_000

const BY_EMAIL: ThrottleRule = {
  free: 5,
  firstWaitMs: 1_000,
  // Short enough after a typo, and still only 1,440 guesses a day.
  longestWaitMs: MINUTE_MS,
  forgetMs: 60 * MINUTE_MS,
  mostKept: 10_000,
}
// Many people may share an address.
const BY_ADDRESS: ThrottleRule = { ...BY_EMAIL, free: 20 }
const CODES: ThrottleRule = { ...BY_EMAIL, firstWaitMs: 5_000, longestWaitMs: 15 * MINUTE_MS }

export interface IdentityServices {
  readonly identity: Identity
  readonly users: UserOperations
}

/** Builds the services for users, sessions and sign-in. */
export function createIdentity(dependencies: IdentityDependencies): IdentityServices {
  const parts = buildParts(dependencies)
  const { sessions, store, clock, provider } = parts
  const door = createDoor(parts)
  return {
    users: userOperations(parts),
    identity: {
      door,
      findOperator: (request) => findOperator(door, request),
      allowsSignUp: parts.allowsSignUp,
      outside: provider && createOutsideSignIn(parts, provider),
      signIn: (input, client) => signIn(parts, input, client),
      signUp: (input, client) => signUp(parts, input, client),
      mailsPasswords: parts.mail !== null,
      forgetPassword: (email, client) => forgetPassword(parts, email, client),
      renewPassword: (renewal, client) => renewPassword(parts, renewal, client),
      showInvite: (token, client) => showInvite(parts, token, client),
      acceptInvite: (accepted, client) => acceptInvite(parts, accepted, client),
      joinByInvite: (input, client) => joinByInvite(parts, input, client),
      signOut: async ({ user, session }) => {
        await sessions.endOne(user.id, session.id, actorOfUser(user))
      },
      signOutEverywhere: ({ user }) => sessions.endAll(user.id, null, actorOfUser(user)),
      listSessions: async ({ user, session: { id } }) => {
        const sessions = await store.listSessions(user.id, clock.nowMs())
        return sessions.map((session) => ({ ...session, isCurrent: session.id === id }))
      },
      endSession: (visitor, id) => endSession(parts, visitor, id),
      rename: (visitor, name) => rename(parts, visitor, name),
      changePassword: (visitor, change) => changePassword(parts, visitor, change),
      beginSecondFactor: (visitor) => beginSecondFactor(parts, visitor),
      confirmSecondFactor: (visitor, code) => confirmSecondFactor(parts, visitor, code),
      disableSecondFactor: (visitor, proof) => disableSecondFactor(parts, visitor, proof),
    },
  }
}

function buildParts(dependencies: IdentityDependencies): IdentityParts {
  const { clock, random, passwords } = dependencies
  const audit = new AuditLog(clock, random.id)
  return {
    ...dependencies,
    audit,
    sessions: new SessionStore({ ...dependencies, audit }),
    hashing: new PasswordHasher(passwords),
    throttles: buildThrottles(dependencies),
  }
}

function buildThrottles({ clock, secrets, peers }: IdentityDependencies): Throttles {
  const shared = (name: keyof Throttles, rule: ThrottleRule) =>
    new SharedThrottle({
      throttle: new AttemptThrottle(clock, rule),
      fingerprint: secrets.fingerprint,
      publish: (notice) => peers?.publish(name, notice),
    })
  const throttles = {
    byEmail: shared('byEmail', BY_EMAIL),
    byAddress: shared('byAddress', BY_ADDRESS),
    codes: shared('codes', CODES),
  }
  peers?.onNotice((name, notice) => throttles[name].apply(notice))
  return throttles
}
