import type { IdentityStore } from '../../gateway/ports/identity.ts'
import type { Sealer } from '../../rules/access/server-secret.ts'
import type { AuditEvent } from '../../vocabulary/audit-event.ts'
import type { Database } from './database.ts'
import {
  deleteMembership,
  listMembershipsOf,
  listMembersOf,
  saveMembership,
} from './tables/accounts/memberships.ts'
import * as sessions from './tables/accounts/sessions.ts'
import * as users from './tables/accounts/users.ts'
import { writeAuditEvent } from './tables/supply/audit-events.ts'

/** Users, sessions and memberships. */
export function identityStorageOn(database: Database, secrets: Sealer): IdentityStore {
  const change = (event: AuditEvent, work: (tx: Database) => Promise<void>) =>
    database.transaction(async (tx) => {
      await work(tx)
      await writeAuditEvent(tx, event)
    })
  return {
    createUser: (made, event) =>
      database.transaction(async (tx) => {
        if (!(await users.insertUser(tx, made))) return false
        for (const membership of made.memberships) await saveMembership(tx, membership)
        await writeAuditEvent(tx, event)
        return true
      }),
    changeUser: (id, changed, event) => change(event, (tx) => users.updateUser(tx, id, changed)),
    findUser: (id) => users.findUserBy(database, 'id', id),
    findUserByEmail: (email) => users.findUserBy(database, 'email', email),
    findUserByOutsideId: (outsideId) => users.findUserBy(database, 'outside_id', outsideId),
    findPasswordHash: (userId) => users.findPasswordHash(database, userId),
    listUsers: async (page) => users.listUsers(database, page),

    saveMembership: (membership, event) => change(event, (tx) => saveMembership(tx, membership)),
    deleteMembership: (member, event) => change(event, (tx) => deleteMembership(tx, member)),
    listMembershipsOf: (userId) => listMembershipsOf(database, userId),
    listMembersOf: (accountId) => listMembersOf(database, accountId),

    saveSession: (session, event) => change(event, (tx) => sessions.insertSession(tx, session)),
    findSession: (tokenHash) => sessions.findSession(database, tokenHash),
    listSessions: (userId, nowMs) => sessions.listSessions(database, userId, nowMs),
    touchSession: (session, lastSeenAtMs) => sessions.touchSession(database, session, lastSeenAtMs),
    renewSession: (id, tokenHash) => sessions.renewSession(database, id, tokenHash),
    endSessions: (which, event) =>
      database.transaction(async (tx) => {
        const ended = await sessions.deleteSessions(tx, which)
        if ('except' in which) await users.forgetDevices(tx, which.userId)
        if (ended > 0) await writeAuditEvent(tx, event)
        return ended
      }),

    ...factorStorageOn(database, secrets),
    writeEvent: (event) => writeAuditEvent(database, event),
  }
}

type FactorStore = Pick<
  IdentityStore,
  'findSecondFactor' | 'saveSecondFactor' | 'deleteSecondFactor' | 'takeStep' | 'takeRecoveryCode'
>

function factorStorageOn(database: Database, secrets: Sealer): FactorStore {
  return {
    findSecondFactor: (userId) => users.findSecondFactor(database, userId, secrets),
    saveSecondFactor: (factor, recoveryHashes, event) =>
      database.transaction(async (tx) => {
        await users.saveSecondFactor(tx, { factor, recoveryHashes }, secrets)
        if (event !== null) await writeAuditEvent(tx, event)
      }),
    deleteSecondFactor: (userId, event) =>
      database.transaction(async (tx) => {
        await users.deleteSecondFactor(tx, userId)
        await writeAuditEvent(tx, event)
      }),
    takeStep: (userId, step) => users.takeStep(database, userId, step),
    takeRecoveryCode: (userId, hash) => users.takeRecoveryCode(database, userId, hash),
  }
}
