import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Storage } from '../../../../manage/ports/storage.ts'
import { IDLE_MS, LONGEST_MS } from '../../../../rules/access/console-session.ts'
import type { SecondFactor, Session, User, UserListQuery } from '../../../../vocabulary/user.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'
import { ACCOUNT, auditEvent, START_MS } from '../../testing/samples.ts'

function aUser(number: number, more: Partial<User> = {}): User {
  return {
    id: `usr_${number}`,
    email: `user-${number}@example.com`,
    name: 'Æsir & søn <b>',
    isOperator: false,
    isDisabled: false,
    isEmailVerified: true,
    hasPassword: true,
    hasSecondFactor: false,
    outsideId: null,
    deviceGeneration: 0,
    createdAtMs: START_MS + number,
    ...more,
  }
}

function aSession(id: string, more: Partial<Session> = {}): Session {
  return {
    id,
    userId: 'usr_1',
    tokenHash: `hash of ${id}`,
    createdAtMs: START_MS,
    lastSeenAtMs: START_MS,
    address: '127.0.0.1',
    userAgent: null,
    ...more,
  }
}

let events = 0
function event() {
  events += 1
  return auditEvent(`evt_identity_${events}`)
}

for (const engine of testedEngines()) {
  describe(`on ${engine.name}`, () => {
    let site: Site
    let storage: Storage
    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      await storage.saveAccount(ACCOUNT, event())
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    const countEvents = async () => (await storage.listAuditEvents({ limit: 100, cursor: null })).data.length
    const create = (user: User, passwordHash: string | null = 'a hash') =>
      storage.createUser({ user, passwordHash, memberships: [] }, event())

    describe('users', () => {
      test('are found by id, email address and provider', async () => {
        const user = aUser(1, { outsideId: 'https://id.example subject', isOperator: true })
        const membership = { userId: user.id, accountId: ACCOUNT.id, role: 'owner' } as const
        const made = { user, passwordHash: 'a hash', memberships: [membership] }
        expect(await storage.createUser(made, event())).toBe(true)
        expect(await storage.findUser(user.id)).toEqual(user)
        expect(await storage.findUserByEmail(user.email)).toEqual(user)
        expect(await storage.findUserByOutsideId('https://id.example subject')).toEqual(user)
        expect(await storage.findPasswordHash(user.id)).toBe('a hash')
        expect(await storage.listMembershipsOf(user.id)).toEqual([membership])
        expect(await storage.listMembersOf(ACCOUNT.id)).toEqual([
          { userId: user.id, email: user.email, name: user.name, role: 'owner' },
        ])
        expect(await storage.findUser('usr_none')).toBeNull()
        expect(await storage.findPasswordHash('usr_none')).toBeNull()
      })

      test('have unique email addresses, even when created concurrently', async () => {
        const before = await countEvents()
        const offers = [1, 2, 3, 4].map((number) => aUser(number, { email: 'same@example.com' }))
        const results = await Promise.all(offers.map((user) => create(user)))
        expect(results.filter(Boolean)).toHaveLength(1)
        expect(await countEvents()).toBe(before + 1)
      })

      test('change only in the named fields', async () => {
        await create(aUser(1, { hasPassword: false }), null)
        await storage.changeUser('usr_1', { name: 'New', isDisabled: true }, event())
        await storage.changeUser('usr_1', { passwordHash: 'another' }, event())
        await storage.changeUser('usr_1', {}, event())
        expect(await storage.findUser('usr_1')).toEqual(aUser(1, { name: 'New', isDisabled: true }))
        expect(await storage.findPasswordHash('usr_1')).toBe('another')
      })

      test('are listed oldest first, page by page', async () => {
        for (const number of [3, 1, 2]) await create(aUser(number))
        const first = await storage.listUsers({ limit: 2, cursor: null })
        const second = await storage.listUsers({ limit: 2, cursor: first.nextCursor })
        expect([first, second].map(({ data }) => data.map(({ id }) => id))).toEqual([
          ['usr_1', 'usr_2'],
          ['usr_3'],
        ])
        expect(second.nextCursor).toBeNull()
      })

      test('are found by text and ids, and ordered by a column, page by page', async () => {
        const names = ['Émile', 'bea_1', 'Cy%', 'Ada']
        for (const [index, name] of names.entries()) {
          await create(aUser(index + 1, { name, isOperator: name === 'Ada' }))
        }
        const idsOf = async (query: UserListQuery, limit = 3) => {
          const first = await storage.listUsers({ limit, cursor: null }, query)
          const { nextCursor: cursor } = first
          const rest = cursor === null ? null : await storage.listUsers({ limit, cursor }, query)
          return [...first.data, ...(rest?.data ?? [])].map(({ id }) => id.replace('usr_', '')).join('')
        }
        expect(await idsOf({ search: 'BEA' })).toBe('2')
        expect(await idsOf({ search: 'Émi' })).toBe('1')
        expect(await idsOf({ search: '%' })).toBe('3')
        expect(await idsOf({ search: '_1' })).toBe('12')
        expect(await idsOf({ ids: 'usr_4,usr_2,usr_none' })).toBe('24')
        expect(await idsOf({ isOperator: true })).toBe('4')
        expect(await idsOf({ ids: 'usr_2,usr_3,usr_4', sort: 'name' }, 2)).toBe('423')
        expect(await idsOf({ sort: '-email' })).toBe('4321')
        expect(await idsOf({ sort: '-created_at' })).toBe('4321')
        const wrong = storage.listUsers({ limit: 2, cursor: 'x' }, { sort: 'name' })
        await expect(wrong).rejects.toThrow('cursor must be')
      })

      test('are members with one role until removed', async () => {
        await create(aUser(1))
        const member = { userId: 'usr_1', accountId: ACCOUNT.id }
        for (const role of ['developer', 'owner', 'billing', 'viewer'] as const) {
          await storage.saveMembership({ ...member, role }, event())
          expect(await storage.listMembershipsOf('usr_1')).toEqual([{ ...member, role }])
          expect((await storage.listMembersOf(ACCOUNT.id)).map((each) => each.role)).toEqual([role])
        }
        // What nodes of an earlier version read and write.
        const database = await site.openDatabase()
        expect(await database.rows('select role from memberships', [])).toEqual([{ role: 'member' }])
        await database.rows("update memberships set role = 'owner'", [])
        expect(await storage.listMembershipsOf('usr_1')).toEqual([{ ...member, role: 'owner' }])
        await database.rows("update memberships set role = 'member', member_role = null", [])
        expect(await storage.listMembershipsOf('usr_1')).toEqual([{ ...member, role: 'developer' }])
        await database.close()
        await storage.deleteMembership(member, event())
        expect(await storage.listMembershipsOf('usr_1')).toEqual([])
      })
    })

    describe('sessions', () => {
      beforeEach(() => create(aUser(1)))

      test('are found by the hash of their cookie until it changes', async () => {
        const session = aSession('ses_1')
        await storage.saveSession(session, event())
        expect(await storage.findSession(session.tokenHash)).toEqual(session)
        await storage.renewSession('ses_1', 'another hash')
        expect(await storage.findSession(session.tokenHash)).toBeNull()
        expect(await storage.findSession('another hash')).toEqual({ ...session, tokenHash: 'another hash' })
      })

      test('are listed until they expire', async () => {
        const [old, young] = [aSession('ses_1'), aSession('ses_2', { createdAtMs: START_MS + 1 })]
        for (const session of [old, young]) await storage.saveSession(session, event())
        expect(await storage.listSessions('usr_1', START_MS)).toEqual([young, old])
        await storage.touchSession(old, START_MS + IDLE_MS)
        const later = await storage.listSessions('usr_1', START_MS + IDLE_MS)
        expect(later).toEqual([{ ...old, lastSeenAtMs: START_MS + IDLE_MS }])
        await storage.touchSession(old, START_MS + LONGEST_MS - 1)
        expect(await storage.listSessions('usr_1', START_MS + LONGEST_MS)).toEqual([])
      })

      test('that have expired are deleted when another begins', async () => {
        await storage.saveSession(aSession('ses_1'), event())
        const createdAtMs = START_MS + IDLE_MS
        await storage.saveSession(aSession('ses_2', { createdAtMs, lastSeenAtMs: createdAtMs }), event())
        expect(await storage.findSession('hash of ses_1')).toBeNull()
      })

      test('end one by one, all, or all but one, for one user only', async () => {
        await create(aUser(2))
        for (const id of ['ses_1', 'ses_2', 'ses_3']) await storage.saveSession(aSession(id), event())
        await storage.saveSession(aSession('ses_other', { userId: 'usr_2' }), event())
        const before = await countEvents()
        expect(await storage.endSessions({ userId: 'usr_1', only: 'ses_other' }, event())).toBe(0)
        expect(await countEvents()).toBe(before)
        expect(await storage.endSessions({ userId: 'usr_1', only: 'ses_1' }, event())).toBe(1)
        expect(await storage.endSessions({ userId: 'usr_1', except: 'ses_2' }, event())).toBe(1)
        expect(await storage.listSessions('usr_1', START_MS)).toEqual([aSession('ses_2')])
        expect(await storage.endSessions({ userId: 'usr_1', except: null }, event())).toBe(1)
        expect(await storage.listSessions('usr_2', START_MS)).toHaveLength(1)
      })
    })

    describe('a second factor', () => {
      const factor: SecondFactor = { userId: 'usr_1', secret: 'JBSWY3DP', isConfirmed: true, lastStep: 7 }
      beforeEach(() => create(aUser(1)))

      test('is sealed, and counts for the user once it is confirmed', async () => {
        await storage.saveSecondFactor({ ...factor, isConfirmed: false }, [], null)
        expect((await storage.findUser('usr_1'))?.hasSecondFactor).toBe(false)
        await storage.saveSecondFactor(factor, ['one', 'two'], event())
        expect((await storage.findUser('usr_1'))?.hasSecondFactor).toBe(true)
        expect(await storage.findSecondFactor('usr_1')).toEqual(factor)
        const database = await site.openDatabase()
        const rows = await database.rows('select sealed_secret from user_factors', [])
        await database.close()
        expect(JSON.stringify(rows)).not.toContain(factor.secret)
        await storage.deleteSecondFactor('usr_1', event())
        expect(await storage.findSecondFactor('usr_1')).toBeNull()
        expect(await storage.takeRecoveryCode('usr_1', 'one')).toBe(false)
      })

      test('accepts each step and each recovery code once, even concurrently', async () => {
        await storage.saveSecondFactor(factor, ['one'], event())
        const steps = await Promise.all(Array.from({ length: 5 }, () => storage.takeStep('usr_1', 8)))
        expect(steps.filter(Boolean)).toHaveLength(1)
        expect(await storage.takeStep('usr_1', 7)).toBe(false)
        const codes = await Promise.all(
          Array.from({ length: 5 }, () => storage.takeRecoveryCode('usr_1', 'one')),
        )
        expect(codes.filter(Boolean)).toHaveLength(1)
        expect(await storage.takeRecoveryCode('usr_2', 'one')).toBe(false)
      })
    })
  })
}
