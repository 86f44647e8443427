import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createKey, openAccount } from '../support/accounts.ts'
import { chat, limitsOf, readError, refusalOf, say } from '../support/chat.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { startTwoSuppliers, type TwoSuppliers } from '../support/two-suppliers.ts'

let clock: MovableClock
let pair: TwoSuppliers
beforeAll(async () => {
  clock = createMovableClock()
  pair = await startTwoSuppliers({ clock })
})
afterAll(() => pair.stop())

interface TestKey {
  readonly id: string
  readonly accountId: string
  readonly secret: string
}

async function makeKey(): Promise<TestKey> {
  const accountId = await openAccount(pair.gateway)
  return { accountId, ...(await createKey(pair.gateway, accountId)) }
}

const change = (key: TestKey, fields: object) => pair.gateway.operator('PATCH', `/keys/${key.id}`, fields)

/** What the next request with the key comes to: who served it, or the code it was refused with. */
async function outcomeOf(secret: string): Promise<string> {
  const fields = { model: 'pair', ...say('hello'), max_tokens: 10 }
  const response = await chat(pair.gateway.url, fields, { key: secret })
  if (response.status === 200) {
    await response.arrayBuffer()
    return response.headers.get('x-gateway-route') ?? 'nobody'
  }
  const [status, code] = await refusalOf(response)
  return `${status} ${code}`
}

const SERVED = 'first'
const FUTURE = '2026-06-11T00:00:00Z'

interface Control {
  readonly name: string
  readonly on: object
  /** What the next request comes to while it is on. */
  readonly outcome: string
  readonly off: object
}

const CONTROLS: readonly Control[] = [
  {
    name: 'route policy',
    on: { route_policy: { mode: 'specified_provider', provider: 'second' } },
    outcome: 'second',
    off: { route_policy: { mode: 'intelligent' } },
  },
  ...['daily', 'weekly', 'monthly', 'forever'].map((period) => ({
    name: `usage limit ${period}`,
    on: { usage_limit: { period, amount: '0.000000001' } },
    outcome: '403 spending_limit_exceeded',
    off: { usage_limit: null },
  })),
  {
    name: 'usage limit that is wide enough',
    on: { usage_limit: { period: 'daily', amount: '1' } },
    outcome: SERVED,
    off: { usage_limit: null },
  },
  { name: 'TPM', on: { tpm: 1 }, outcome: '429 rate_limit_exceeded', off: { tpm: null } },
  {
    name: 'allowlist without the model',
    on: { model_allowlist: ['pai', 'pairs', 'other-*'] },
    outcome: '404 model_not_found',
    off: { model_allowlist: null },
  },
  {
    name: 'allowlist with the model',
    on: { model_allowlist: ['other', 'pair'] },
    outcome: SERVED,
    off: { model_allowlist: ['p*'] },
  },
  {
    name: 'budget, which never blocks',
    on: { budget: { amount: '0.000000001' } },
    outcome: SERVED,
    off: { budget: null },
  },
  {
    name: 'disabling',
    on: { state: 'disabled' },
    outcome: '401 auth_invalid',
    off: { state: 'active' },
  },
]

describe('each control applies from the next request on, and ends with the first request after its removal', () => {
  test.each(CONTROLS)('$name', async ({ on, outcome, off }) => {
    const key = await makeKey()
    expect(await outcomeOf(key.secret)).toBe(SERVED)
    for (let round = 0; round < 2; round += 1) {
      await change(key, on)
      expect(await outcomeOf(key.secret)).toBe(outcome)
      await change(key, off)
      expect(await outcomeOf(key.secret)).toBe(SERVED)
    }
  })

  test('RPM', async () => {
    const key = await makeKey()
    await change(key, { rpm: 1 })
    expect([await outcomeOf(key.secret), await outcomeOf(key.secret)]).toEqual([
      SERVED,
      '429 rate_limit_exceeded',
    ])
    await change(key, { rpm: 2 })
    expect(await outcomeOf(key.secret)).toBe(SERVED)
    await change(key, { rpm: null })
    expect(await outcomeOf(key.secret)).toBe(SERVED)
  })

  test('expiry, to the millisecond', async () => {
    const key = await makeKey()
    await change(key, { expires_at: FUTURE })
    clock.advance(Date.parse(FUTURE) - clock.nowMs() - 1)
    expect(await outcomeOf(key.secret)).toBe(SERVED)
    clock.advance(1)
    expect(await outcomeOf(key.secret)).toBe('401 auth_expired')
    await change(key, { expires_at: null })
    expect(await outcomeOf(key.secret)).toBe(SERVED)
  })

  test('rotation with grace, to the millisecond', async () => {
    const key = await makeKey()
    const path = `/keys/${key.id}/rotate`
    const rotated = await pair.gateway.operator<TestKey>('POST', path, { grace_seconds: 60 })
    expect([await outcomeOf(key.secret), await outcomeOf(rotated.secret)]).toEqual([SERVED, SERVED])
    clock.advance(59_999)
    expect(await outcomeOf(key.secret)).toBe(SERVED)
    clock.advance(1)
    expect([await outcomeOf(key.secret), await outcomeOf(rotated.secret)]).toEqual([
      '401 auth_expired',
      SERVED,
    ])
  })

  test('rotation without grace, and revocation', async () => {
    const key = await makeKey()
    const rotated = await pair.gateway.operator<TestKey>('POST', `/keys/${key.id}/rotate`)
    expect([await outcomeOf(key.secret), await outcomeOf(rotated.secret)]).toEqual([
      '401 auth_invalid',
      SERVED,
    ])
    await pair.gateway.operator('DELETE', `/keys/${key.id}`)
    expect(await outcomeOf(rotated.secret)).toBe('401 auth_invalid')
  })
})

describe('RPM and TPM of a key only narrow', () => {
  const assign = (account: string, tier: string) =>
    pair.gateway.operator('PUT', `/accounts/${account}/tier`, { tier, reason: 'test' })
  const limits = async (secret: string) => {
    const response = await chat(pair.gateway.url, { model: 'pair', max_tokens: 10 }, { key: secret })
    await response.arrayBuffer()
    return [limitsOf(response, 'requests')[0], limitsOf(response, 'tokens')[0]]
  }

  test('8.1 a limit above the account’s is refused and the whole change is dropped', async () => {
    const key = await makeKey()
    for (const fields of [{ rpm: 121 }, { tpm: 2_000_001 }, { rpm: 60, tpm: 2_000_001 }]) {
      await expect(change(key, { name: 'renamed', ...fields })).rejects.toThrow(
        "can only narrow the account's",
      )
    }
    expect(await pair.gateway.operator<object>('GET', `/keys/${key.id}`)).toMatchObject({
      name: 'Test key',
      rpm: null,
      tpm: null,
    })
  })

  test('8.4 the tier limit applies while it is below the key limit, then the key limit again', async () => {
    const key = await makeKey()
    await change(key, { rpm: 100, tpm: 1_000_000 })
    expect(await limits(key.secret)).toEqual([100, 1_000_000])
    await assign(key.accountId, 'Trial')
    expect(await limits(key.secret)).toEqual([30, 500_000])
    await assign(key.accountId, 'Scale')
    expect(await limits(key.secret)).toEqual([100, 1_000_000])
  })
})

test('look-ups are also limited by the stricter of key and tier', async () => {
  const key = await makeKey()
  await change(key, { rpm: 100 })
  const body = { tier: 'Trial', rpm: 2, reason: 'test' }
  await pair.gateway.operator('PUT', `/accounts/${key.accountId}/tier`, body)
  const headers = { authorization: `Bearer ${key.secret}` }
  const lookUp = async () => {
    const response = await fetch(`${pair.gateway.url}/v1/models`, { headers })
    await response.arrayBuffer()
    return response.status
  }
  for (let sent = 0; sent < 20; sent += 1) expect(await lookUp()).toBe(200)
  expect(await lookUp()).toBe(429)
})

describe('spending_limit_exceeded says which limit was hit', () => {
  test('key limit reached, key limit too small, or balance too small', async () => {
    const { gateway } = pair
    const account = await openAccount(gateway, '0')
    const { id, secret } = await createKey(gateway, account)
    const messageOf = async () => {
      const response = await chat(gateway.url, { model: 'pair', max_tokens: 10 }, { key: secret })
      return response.status === 403 ? (await readError(response)).message : response.status
    }
    expect(await messageOf()).toContain('The balance of this account and its credit line are used up.')
    await gateway.operator('POST', `/accounts/${account}/payments`, { amount: '1', reference: 'r' })
    expect(await messageOf()).toBe(200)
    const { usage } = await gateway.operator<{ usage: { spent: string } }>('GET', `/keys/${id}`)
    await gateway.operator('PATCH', `/keys/${id}`, { usage_limit: { period: 'daily', amount: usage.spent } })
    expect(await messageOf()).toBe('This API key has reached its spending limit.')
    const wider = `${usage.spent}1`
    await gateway.operator('PATCH', `/keys/${id}`, { usage_limit: { period: 'daily', amount: wider } })
    expect(await messageOf()).toBe(
      'What this request may cost does not fit in what is left of the spending limit of this API key.',
    )
  })
})

describe('an allowlist', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `model-${index}`)

  test('of 10,000 entries is refused with a message, and the key stays unchanged', async () => {
    const key = await makeKey()
    await expect(change(key, { name: 'renamed', model_allowlist: names(10_000) })).rejects.toThrow(
      'model_allowlist has 10000 entries; it takes at most 1000.',
    )
    await expect(change(key, { model_allowlist: names(1_001) })).rejects.toThrow('at most 1000')
    expect(await pair.gateway.operator<object>('GET', `/keys/${key.id}`)).toMatchObject({
      name: 'Test key',
      model_allowlist: null,
    })
  })

  test('of 1,000 entries works, including a pattern', async () => {
    const key = await makeKey()
    await change(key, { model_allowlist: names(1_000) })
    expect(await outcomeOf(key.secret)).toBe('404 model_not_found')
    await change(key, { model_allowlist: [...names(999), 'pai*'] })
    expect(await outcomeOf(key.secret)).toBe(SERVED)
  })
})

describe('implausible amounts', () => {
  test.each([
    { usage_limit: { period: 'daily', amount: '1000000001' } },
    { usage_limit: { period: 'daily', amount: '-1' } },
    { usage_limit: { period: 'daily', amount: '1e3' } },
    { usage_limit: { period: 'daily', amount: '0.0000000001' } },
    { budget: { amount: '99999999999999999999' } },
    { budget: { amount: '1', thresholds: [50, 50] } },
    { budget: { amount: '1', thresholds: [0] } },
  ])('%j is refused', async (fields) => {
    const key = await makeKey()
    await expect(change(key, { name: 'renamed', ...fields })).rejects.toThrow(': 400 ')
    expect(await pair.gateway.operator<object>('GET', `/keys/${key.id}`)).toMatchObject({ name: 'Test key' })
  })
})
