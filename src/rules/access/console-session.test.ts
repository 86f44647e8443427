import { describe, expect, test } from 'bun:test'
import {
  clearCookie,
  IDLE_MS,
  isFromOwnPage,
  isSessionOver,
  LONGEST_MS,
  readCookie,
  SESSION_COOKIE,
  sessionEndMs,
  writeCookie,
} from './console-session.ts'

const [PLAIN, SECURE] = [{ isSecure: false }, { isSecure: true }]

describe('a cookie', () => {
  test.each([
    ['turnpike_session=abc', 'abc'],
    ['a=1; turnpike_session=abc; b=2', 'abc'],
    ['a=1;turnpike_session=abc', 'abc'],
    ['xturnpike_session=abc', null],
    ['turnpike_session', null],
    ['turnpike_session=one; turnpike_session=two', 'one'],
  ])('is read from %p', (cookie, expected) => {
    expect(readCookie(new Headers({ cookie }), SESSION_COOKIE, PLAIN)).toBe(expected)
  })

  test('over https counts only under the name that no other host can set', () => {
    const headers = new Headers({ cookie: 'turnpike_session=planted; __Host-turnpike_session=own' })
    expect(readCookie(headers, SESSION_COOKIE, SECURE)).toBe('own')
  })

  test('is taken away by one that is over', () => {
    expect(clearCookie(SESSION_COOKIE, SECURE)).toBe(
      '__Host-turnpike_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure',
    )
    expect(writeCookie({ name: 'a', value: 'b', maxAgeSeconds: 5 }, PLAIN)).not.toContain('Secure')
  })
})

describe('a page', () => {
  const isOwn = (headers: Record<string, string>, publicUrl: string | null = null) =>
    isFromOwnPage(new Headers(headers), publicUrl)

  test('is of this gateway when its origin is the host that was asked', () => {
    expect(isOwn({ host: 'a.example:8080' })).toBe(true)
    expect(isOwn({ host: 'a.example:8080', origin: 'http://a.example:8080' })).toBe(true)
    expect(isOwn({ host: 'a.example', origin: 'https://b.example' })).toBe(false)
    expect(isOwn({ host: 'a.example:8080', origin: 'http://a.example:9090' })).toBe(false)
    expect(isOwn({ host: 'a.example', origin: 'null' })).toBe(false)
  })

  test('is of this gateway when its origin is the address it is known by', () => {
    const behindProxy = { host: '10.0.0.1:8080', origin: 'https://a.example' }
    expect(isOwn(behindProxy)).toBe(false)
    expect(isOwn(behindProxy, 'https://a.example/')).toBe(true)
  })
})

describe('a session', () => {
  test('expires when unused or old', () => {
    const times = { createdAtMs: 0, lastSeenAtMs: 0 }
    expect([IDLE_MS - 1, IDLE_MS].map((nowMs) => isSessionOver(times, nowMs))).toEqual([false, true])
    expect(sessionEndMs({ createdAtMs: 0, lastSeenAtMs: LONGEST_MS - 1 })).toBe(LONGEST_MS)
  })
})
