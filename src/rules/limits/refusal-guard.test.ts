import { describe, expect, test } from 'bun:test'
import { effectiveRpm, guardLimit, RefusalGuard } from './window.ts'

const START_MS = 1_000_000

function guardAt(maxBodyBytes = 1_000_000) {
  const clock = { ms: START_MS, nowMs: () => clock.ms }
  return { clock, guard: new RefusalGuard(clock, { maxBodyBytes }) }
}

function callerOf({
  account = 'acc',
  key = 'key',
  rpm = null as number | null,
  accountRpm = 3 as number | null,
} = {}) {
  return { account: { id: account }, key: { id: key, rpm }, limits: { rpm: accountRpm } }
}

describe('the limits of the guard', () => {
  test('are ten times the RPM, and absent without one', () => {
    expect(guardLimit(120)).toBe(1_200)
    expect(guardLimit(null)).toBeNull()
  })

  test('take the stricter of key and account', () => {
    expect(effectiveRpm(callerOf({ rpm: 5, accountRpm: 3 }))).toBe(3)
    expect(effectiveRpm(callerOf({ rpm: 2, accountRpm: null }))).toBe(2)
    expect(effectiveRpm(callerOf({ rpm: null, accountRpm: 3 }))).toBe(3)
    expect(effectiveRpm(callerOf({ rpm: null, accountRpm: null }))).toBeNull()
  })
})

describe('the guard of refusals', () => {
  test('lets ten times the RPM of an account be refused in a minute, then says when to come back', () => {
    const { clock, guard } = guardAt()
    const caller = callerOf()
    for (let refused = 0; refused < 30; refused += 1) {
      expect(guard.excessOf(caller)).toBeNull()
      guard.note(caller, 10)
    }
    expect(guard.excessOf(caller)).toEqual({
      limit: 30,
      unit: 'requests',
      owner: 'account',
      retryAfterSeconds: 60,
    })
    clock.ms += 59_999
    expect(guard.excessOf(caller)?.retryAfterSeconds).toBe(1)
    clock.ms += 1
    expect(guard.excessOf(caller)).toBeNull()
  })

  test('stops a key with its own limit and lets the other keys of its account go on', () => {
    const { guard } = guardAt()
    const narrow = callerOf({ key: 'narrow', rpm: 1, accountRpm: 120 })
    for (let refused = 0; refused < 10; refused += 1) guard.note(narrow, 0)
    expect(guard.excessOf(narrow)).toMatchObject({ limit: 10, owner: 'key' })
    expect(guard.excessOf(callerOf({ key: 'wide', accountRpm: 120 }))).toBeNull()
  })

  test('stops an account whose keys together were refused too often', () => {
    const { guard } = guardAt()
    for (let key = 0; key < 30; key += 1) guard.note(callerOf({ key: `key${key}`, rpm: 3 }), 0)
    expect(guard.excessOf(callerOf({ key: 'fresh', rpm: 3 }))).toMatchObject({ limit: 30, owner: 'account' })
    expect(guard.excessOf(callerOf({ account: 'other' }))).toBeNull()
  })

  test('stops an account that sent too many bytes in vain, whatever its RPM', () => {
    const { guard } = guardAt(1_000)
    const caller = callerOf({ accountRpm: null })
    guard.note(caller, 999)
    expect(guard.excessOf(caller)).toBeNull()
    guard.note(caller, 1)
    expect(guard.excessOf(caller)).toMatchObject({ limit: 1_000, unit: 'body bytes', owner: 'account' })
  })

  test('lets any number of small requests be refused without an RPM', () => {
    const { guard } = guardAt()
    const caller = callerOf({ accountRpm: null })
    for (let refused = 0; refused < 10_000; refused += 1) guard.note(caller, 0)
    expect(guard.excessOf(caller)).toBeNull()
  })

  test('forgets accounts whose minute is over', () => {
    const { clock, guard } = guardAt()
    for (let account = 0; account < 100; account += 1) guard.note(callerOf({ account: `acc${account}` }), 1)
    expect(guard.size).toBe(100)
    clock.ms += 60_000
    guard.note(callerOf({ account: 'acc0' }), 1)
    expect(guard.size).toBe(1)
  })

  test('remembers no more than 50,000 accounts, the latest of them', () => {
    const { guard } = guardAt(1)
    for (let account = 0; account < 50_010; account += 1)
      guard.note(callerOf({ account: `acc${account}` }), 1)
    expect(guard.size).toBe(50_000)
    expect(guard.excessOf(callerOf({ account: 'acc0' }))).toBeNull()
    expect(guard.excessOf(callerOf({ account: 'acc50009' }))).not.toBeNull()
  })

  test('starts again when the clock is set back', () => {
    const { clock, guard } = guardAt(1)
    guard.note(callerOf(), 1)
    clock.ms -= 1
    expect(guard.excessOf(callerOf())).toBeNull()
  })
})
