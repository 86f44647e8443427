import { describe, expect, test } from 'bun:test'
import { type AccessToken, AccessTokens } from './access-tokens.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

function openTokens() {
  const clock = { timeMs: 1_000_000, setBackMs: 0, nowMs: () => clock.timeMs - clock.setBackMs }
  const fetched: string[] = []
  const tokens = new AccessTokens(clock, () => clock.timeMs)
  const fetchNext = (): Promise<AccessToken> => {
    fetched.push(`token-${fetched.length + 1}`)
    return Promise.resolve({ token: fetched.at(-1) ?? '', expiresAtMs: clock.nowMs() + HOUR_MS })
  }
  return { clock, fetched, get: (name: string, fetchToken = fetchNext) => tokens.get(name, fetchToken) }
}

describe('an access token', () => {
  test('is not used beyond its end by a machine whose clock is set back', async () => {
    const { clock, fetched, get } = openTokens()
    await get('a')
    clock.setBackMs = 5 * HOUR_MS
    clock.timeMs += HOUR_MS
    await get('a')
    expect(fetched).toEqual(['token-1', 'token-2'])
  })

  test('is fetched once and then known at once, until shortly before its end', async () => {
    const { clock, get } = openTokens()
    expect(await get('a')).toBe('token-1')
    clock.timeMs += HOUR_MS - 2 * MINUTE_MS - 1
    expect(get('a')).toBe('token-1')
    clock.timeMs += 1
    expect(await get('a')).toBe('token-2')
    expect(get('a')).toBe('token-2')
  })

  test('of one credential is not that of another', async () => {
    const { get } = openTokens()
    expect([await get('a'), await get('b'), await get('a')]).toEqual(['token-1', 'token-2', 'token-1'])
  })

  test('is fetched once for all who wait, and for those who come the moment it is there', async () => {
    const { fetched, get } = openTokens()
    const waiting = Array.from({ length: 50 }, () => Promise.resolve(get('a')))
    const late = waiting.map((each) => each.then(() => get('a')))
    expect(new Set(await Promise.all([...waiting, ...late]))).toEqual(new Set(['token-1']))
    expect(fetched).toHaveLength(1)
  })

  test('that cannot be fetched fails all who wait, and the next one asks again', async () => {
    const { get } = openTokens()
    const fail = () => Promise.reject(new Error('out of order'))
    const waiting = await Promise.allSettled([get('a', fail), get('a', fail)])
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await get('a')).toBe('token-1')
  })

  test('is asked for again after a fetch that threw before it began', async () => {
    const { get } = openTokens()
    const breakDown = () => {
      throw new Error('no key')
    }
    await expect(Promise.resolve(get('a', breakDown))).rejects.toThrow('no key')
    expect(await get('a')).toBe('token-1')
  })

  test('that is still good is used to its end when no other can be had', async () => {
    const { clock, get } = openTokens()
    const fail = () => Promise.reject(new Error('out of order'))
    await get('a')
    clock.timeMs += HOUR_MS - 1
    expect(await get('a', fail)).toBe('token-1')
    clock.timeMs += 1
    await expect(Promise.resolve(get('a', fail))).rejects.toThrow('out of order')
  })
})
