import { describe, expect, test } from 'bun:test'
import type { Session, User } from '../../vocabulary/user.ts'
import type { IdentityStore } from '../ports/identity.ts'
import { AuditLog } from './audit-log.ts'
import { PasswordHasher } from './passwords.ts'
import { SessionStore } from './session-store.ts'

const clock = { timeMs: 1_000_000, nowMs: () => clock.timeMs }

describe('hashing', () => {
  test('recognizes a password, and refuses a user without one', async () => {
    const hasher = new PasswordHasher()
    const hash = await hasher.hash('seven quiet otters', 'stranger')
    expect(hash).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$')
    expect(await hasher.verify('seven quiet otters', hash, 'stranger')).toBe(true)
    expect(await hasher.verify('seven quiet otter', hash, 'stranger')).toBe(false)
    // The password behind the dummy hash opens nothing either.
    expect(await hasher.verify('hello world 12', null, 'stranger')).toBe(false)
  })

  test('refuses a sign-in when too many are waiting', async () => {
    const hasher = new PasswordHasher()
    const results = await Promise.allSettled(
      Array.from({ length: 70 }, () => hasher.verify('x', 'no hash', 'stranger')),
    )
    const refused = results.filter(({ status, ...rest }) => {
      const { reason } = rest as { reason?: { code?: string } }
      return status === 'rejected' && reason?.code === 'rate_limit_exceeded'
    })
    expect(refused).toHaveLength(70 - 2 - 64)
    expect(await hasher.verify('x', null, 'stranger')).toBe(false)
  })
})

test('a known browser goes ahead of waiting strangers, and is not refused because of them', async () => {
  const begun: string[] = []
  const hasher = new PasswordHasher({
    hash: Bun.password.hash,
    verify: async (password) => {
      begun.push(String(password))
      return false
    },
  })
  const strangers = Array.from({ length: 70 }, () => hasher.verify('stranger', 'hash', 'stranger'))
  const known = hasher.verify('known', 'hash', 'known')
  const results = await Promise.allSettled([...strangers, known])
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(70 - 2 - 64)
  expect(results.at(-1)?.status).toBe('fulfilled')
  // After the two that were running already.
  expect(begun.indexOf('known')).toBe(2)
  expect(begun).toHaveLength(2 + 64 + 1)
})

describe('the audit of failures', () => {
  test('logs fewer lines the more failures there are, at most sixty a minute', () => {
    const audit = new AuditLog(clock, (prefix) => prefix)
    const worth = Array.from({ length: 100 }, (_, index) => index + 1).filter((n) =>
      audit.shouldRecordFailure(n),
    )
    expect(worth).toEqual([1, 2, 4, 8, 16, 32, 64])
    const more = Array.from({ length: 100 }, () => audit.shouldRecordFailure(1)).filter(Boolean)
    expect(more).toHaveLength(60 - 7)
    clock.timeMs += 60_000
    expect(audit.shouldRecordFailure(1)).toBe(true)
  })
})

describe('sessions in memory', () => {
  const user: User = {
    id: 'usr_1',
    email: 'ada@example.com',
    name: 'Ada',
    isOperator: false,
    isDisabled: false,
    isEmailVerified: true,
    hasPassword: true,
    hasSecondFactor: false,
    outsideId: null,
    deviceGeneration: 0,
    createdAtMs: 0,
  }

  /** A database of sessions that counts how often it is asked. */
  function start() {
    const rows = new Map<string, Session>()
    let reads = 0
    const store = {
      saveSession: async (session: Session) => void rows.set(session.tokenHash, session),
      findSession: async (hash: string) => {
        reads += 1
        return rows.get(hash) ?? null
      },
      findUser: async () => user,
      listMembershipsOf: async () => [],
      endSessions: async () => {
        rows.clear()
        return 1
      },
    } as Partial<IdentityStore> as IdentityStore
    const sessions = new SessionStore({
      store,
      secrets: { fingerprint: (text) => Bun.hash(text).toString(36) },
      random: {
        id: (prefix) => `${prefix}_${rows.size}`,
        bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
      },
      clock,
      audit: new AuditLog(clock, (prefix) => prefix),
    })
    const begin = async () => (await sessions.begin(user, { address: null, userAgent: null }, 'test')).token
    return { sessions, begin, reads: () => reads }
  }

  test('are read again after three seconds, and at most 1,000 are cached', async () => {
    const { sessions, begin, reads } = start()
    const token = await begin()
    for (let call = 0; call < 10; call += 1) expect((await sessions.find(token))?.user.id).toBe('usr_1')
    expect(reads()).toBe(1)
    clock.timeMs += 3_000
    await sessions.find(token)
    expect(reads()).toBe(2)
    for (let number = 0; number < 1_050; number += 1) await sessions.find(await begin())
    expect(sessions.cached).toBe(1_000)
  })

  test('end at once, also one that is being read at that moment', async () => {
    const { sessions, begin } = start()
    const token = await begin()
    const reading = sessions.find(token)
    await sessions.endAll('usr_1', null, 'test')
    await reading
    expect(await sessions.find(token)).toBeNull()
  })

  test('are not looked up for malformed cookie values', async () => {
    const { sessions, reads } = start()
    for (const token of ['', 'x', 'x'.repeat(10_000), "' or 1=1 --"])
      expect(await sessions.find(token)).toBeNull()
    expect(reads()).toBe(0)
  })
})
