import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { KeySettings } from '../../src/vocabulary/api-key.ts'
import { addAccount, addSupply, type GatewayUnderTest, START_MS, startGateway } from './gateway-under-test.ts'

let gateway: GatewayUnderTest
let accountId: string
beforeEach(async () => {
  gateway = await startGateway()
  await addSupply(gateway)
  accountId = await addAccount(gateway)
})
afterEach(() => gateway.close())

const PLAIN_SETTINGS: KeySettings = {
  name: 'boot',
  routePolicy: { mode: 'intelligent' },
  usageLimit: null,
  rpm: null,
  tpm: null,
  modelAllowlist: null,
  budget: null,
  expiresAtMs: null,
  sharedFallback: false,
}

async function addKey(fields: object = {}) {
  return (await gateway.ask(`POST /accounts/${accountId}/keys`, { name: 'ci', ...fields })).body
}

function knows(secret: string): boolean {
  const { secretsByFingerprint } = gateway.configuration.current()
  return secretsByFingerprint.has(gateway.secrets.fingerprint(secret))
}

function graceOf(secret: string): number | null | undefined {
  const { secretsByFingerprint } = gateway.configuration.current()
  return secretsByFingerprint.get(gateway.secrets.fingerprint(secret))?.expiresAtMs
}

describe('keys', () => {
  test('2.10 a key with every setting; its secret is shown once', async () => {
    const fields = {
      name: 'ci',
      route_policy: { mode: 'specified_provider', provider: 'acme' },
      usage_limit: { period: 'daily', amount: '5' },
      rpm: 60,
      tpm: 100_000,
      model_allowlist: ['gpt-5', 'claude-*'],
      budget: { amount: '100', thresholds: [90, 10] },
      expires_at: '2027-01-01T00:00:00Z',
      shared_fallback: true,
    }
    const { status, body } = await gateway.ask(`POST /accounts/${accountId}/keys`, fields)
    expect(status).toBe(200)
    const { secret, ...key } = body
    expect(secret).toMatch(/^sk-[A-Za-z0-9]{48}$/)
    expect(key).toEqual({
      ...fields,
      id: key.id,
      account_id: accountId,
      state: 'active',
      last_four: secret.slice(-4),
      budget: { amount: '100', thresholds: [10, 90] },
      created_at: '2026-06-01T12:00:00Z',
      usage: {
        period: 'daily',
        spent: '0',
        held: '0',
        remaining: '5',
        resets_at: '2026-06-02T00:00:00Z',
        spent_this_month: '0',
      },
      created_by: null,
      last_used_at: null,
      // Nothing has been paid in yet.
      stopped_by: 'balance',
    })
    expect(knows(secret)).toBe(true)
    expect((await gateway.ask(`GET /keys/${key.id}`)).body).toEqual(key)
    expect((await gateway.ask(`GET /accounts/${accountId}/keys`)).body).toEqual({
      data: [key],
      next_cursor: null,
    })
  })

  test('a key with only a name has no limits', async () => {
    expect(await addKey({ usage_limit: null, budget: { amount: '1' } })).toMatchObject({
      route_policy: { mode: 'intelligent' },
      usage_limit: null,
      rpm: null,
      tpm: null,
      model_allowlist: null,
      budget: { amount: '1', thresholds: [50, 80, 100] },
      expires_at: null,
      shared_fallback: false,
    })
  })

  test('a change sets only what it names, and null removes a setting', async () => {
    const { id } = await addKey({ rpm: 60, tpm: 1000, usage_limit: { period: 'weekly', amount: '3' } })
    const first = await gateway.ask(`PATCH /keys/${id}`, { rpm: null, state: 'disabled', name: 'cd' })
    expect(first.body).toMatchObject({ name: 'cd', state: 'disabled', rpm: null, tpm: 1000 })
    expect(first.body.usage_limit).toEqual({ period: 'weekly', amount: '3' })
    const second = await gateway.ask(`PATCH /keys/${id}`, { usage_limit: null, state: 'active' })
    expect(second.body).toMatchObject({ state: 'active', usage_limit: null, tpm: 1000 })
    expect(second.body.secret).toBeUndefined()
  })

  test('a key is expired from its expiry on, and a later expiry revives it', async () => {
    const { id } = await addKey({ expires_at: '2026-06-01T12:01:00Z' })
    gateway.clock.timeMs = START_MS + 60_000
    expect((await gateway.ask(`GET /keys/${id}`)).body.state).toBe('expired')
    expect((await gateway.ask(`PATCH /keys/${id}`, { name: 'still expired' })).status).toBe(200)
    const revived = await gateway.ask(`PATCH /keys/${id}`, { expires_at: null })
    expect(revived.body.state).toBe('active')
  })

  test('a limit that the account no longer allows does not block other changes', async () => {
    const { id } = await addKey({ rpm: 100 })
    await gateway.ask(`PUT /accounts/${accountId}/tier`, { tier: 'Trial', reason: 'r' })
    expect((await gateway.ask(`PATCH /keys/${id}`, { name: 'renamed' })).status).toBe(200)
  })
})

describe('rotation', () => {
  test('without grace the old secret is gone at once; id and settings stay', async () => {
    const { secret: old, ...key } = await addKey({ rpm: 60 })
    const { body } = await gateway.ask(`POST /keys/${key.id}/rotate`)
    expect(body).toEqual({ ...key, secret: body.secret, last_four: body.secret.slice(-4) })
    expect(body.secret).not.toBe(old)
    expect([knows(old), knows(body.secret)]).toEqual([false, true])
  })

  test('with grace the old secret lives on for exactly that long', async () => {
    const { id, secret: first } = await addKey()
    const { secret: second } = (await gateway.ask(`POST /keys/${id}/rotate`, { grace_seconds: 60 })).body
    expect(graceOf(first)).toBe(START_MS + 60_000)
    expect(graceOf(second)).toBeNull()

    gateway.clock.timeMs = START_MS + 30_000
    const { secret: third } = (await gateway.ask(`POST /keys/${id}/rotate`, { grace_seconds: 600 })).body
    expect(graceOf(first)).toBe(START_MS + 60_000)
    expect(graceOf(second)).toBe(START_MS + 630_000)

    gateway.clock.timeMs = START_MS + 60_000
    await gateway.ask(`POST /keys/${id}/rotate`, { grace_seconds: 1 })
    expect([first, second, third].map(knows)).toEqual([false, true, true])
    const [stored] = (await gateway.storage.loadConfiguration()).keys
    expect(stored).toEqual(gateway.configuration.current().keys.get(id))
  })

  test('a shorter grace ends the longer one of an older secret: a leaked one can be stopped', async () => {
    const { id, secret: first } = await addKey()
    const { secret: second } = (await gateway.ask(`POST /keys/${id}/rotate`, { grace_seconds: 3600 })).body
    await gateway.ask(`POST /keys/${id}/rotate`, { grace_seconds: 60 })
    expect([graceOf(first), graceOf(second)]).toEqual([START_MS + 60_000, START_MS + 60_000])
    const { secret: last } = (await gateway.ask(`POST /keys/${id}/rotate`)).body
    expect([first, second, last].map(knows)).toEqual([false, false, true])
  })
})

describe('revocation', () => {
  test('is final', async () => {
    const { id, secret } = await addKey()
    const revoked = await gateway.ask(`DELETE /keys/${id}`)
    expect(revoked.body).toMatchObject({ id, state: 'revoked' })
    expect(revoked.body.secret).toBeUndefined()
    const { secretsByFingerprint } = gateway.configuration.current()
    expect(secretsByFingerprint.get(gateway.secrets.fingerprint(secret))?.key.state).toBe('revoked')
    for (const call of [`PATCH /keys/${id}`, `POST /keys/${id}/rotate`]) {
      const answer = await gateway.ask(call, {})
      expect(answer.status).toBe(400)
      expect(answer.body.error.code).toBe('invalid_request')
    }
    expect((await gateway.ask(`DELETE /keys/${id}`)).body.state).toBe('revoked')
  })
})

describe('a key whose secret is given', () => {
  test('is known by that secret', async () => {
    const secret = 'sk-bootstrap-of-the-tests'
    const issued = await gateway.operations.issueKey(
      accountId,
      { settings: PLAIN_SETTINGS, secret },
      'first start',
    )
    expect(issued.secret).toBe(secret)
    expect(issued.lastFour).toBe('ests')
    expect(knows(secret)).toBe(true)
  })

  test.each(['no-prefix', 'sk-', 'sk-with space', 'sk-é'])(
    'is refused when the secret is %j',
    async (secret) => {
      const issue = gateway.operations.issueKey(
        accountId,
        { settings: PLAIN_SETTINGS, secret },
        'first start',
      )
      await expect(issue).rejects.toThrow('starts with "sk-"')
    },
  )

  test('is refused when another key has that secret', async () => {
    const { secret } = await addKey()
    const issue = gateway.operations.issueKey(accountId, { settings: PLAIN_SETTINGS, secret }, 'first start')
    await expect(issue).rejects.toThrow('belongs to a key already')
  })
})

const REFUSED: readonly [fields: object, param: string][] = [
  [{ name: '' }, 'name'],
  [{ secret: 'sk-mine' }, 'secret'],
  [{ rpm: 121 }, 'rpm'],
  [{ rpm: 0 }, 'rpm'],
  [{ rpm: 1.5 }, 'rpm'],
  [{ rpm: '60' }, 'rpm'],
  [{ tpm: 2_000_001 }, 'tpm'],
  [{ route_policy: { mode: 'specified_provider', provider: 'nobody' } }, 'route_policy.provider'],
  [{ route_policy: { mode: 'specified_provider' } }, 'route_policy.provider'],
  [{ route_policy: { mode: 'intelligent', provider: 'acme' } }, 'route_policy.provider'],
  [{ route_policy: { mode: 'cheapest' } }, 'route_policy.mode'],
  [{ route_policy: null }, 'route_policy'],
  [{ usage_limit: { period: 'hourly', amount: '5' } }, 'usage_limit.period'],
  [{ usage_limit: { period: 'daily', amount: '0' } }, 'usage_limit.amount'],
  [{ usage_limit: { period: 'daily', amount: 5 } }, 'usage_limit.amount'],
  [{ usage_limit: { period: 'daily' } }, 'usage_limit.amount'],
  [{ usage_limit: { period: 'daily', amount: '5', soft: true } }, 'usage_limit.soft'],
  [{ usage_limit: '5' }, 'usage_limit'],
  [{ budget: { amount: '-1' } }, 'budget.amount'],
  [{ budget: { amount: '1', thresholds: [] } }, 'budget.thresholds'],
  [{ budget: { amount: '1', thresholds: [50, 101] } }, 'budget.thresholds[1]'],
  [{ model_allowlist: [] }, 'model_allowlist'],
  [{ model_allowlist: ['gpt-5', 'a*b'] }, 'model_allowlist[1]'],
  [{ model_allowlist: ['gpt-5', ''] }, 'model_allowlist[1]'],
  [{ expires_at: '2026-06-01T12:00:00Z' }, 'expires_at'],
  [{ expires_at: 'tomorrow' }, 'expires_at'],
  [{ expires_at: 1_800_000_000 }, 'expires_at'],
]

describe('refusals', () => {
  test.each(REFUSED)('%j names %s, on creation and on change alike', async (fields, param) => {
    const { id } = await addKey()
    const created = await gateway.ask(`POST /accounts/${accountId}/keys`, { name: 'x', ...fields })
    const changed = await gateway.ask(`PATCH /keys/${id}`, fields)
    expect([created.status, changed.status]).toEqual([400, 400])
    expect(created.body.error).toMatchObject({ code: 'invalid_request', param })
    expect(changed.body.error).toMatchObject({ code: 'invalid_request', param })
    expect(gateway.configuration.current().keys.size).toBe(1)
  })

  test('8.1 a limit above the account names the limit', async () => {
    const { body } = await gateway.ask(`POST /accounts/${accountId}/keys`, { name: 'x', rpm: 121 })
    expect(body.error.message).toBe("rpm can only narrow the account's limit of 120.")
  })

  test.each([
    ['state', { state: 'revoked' }],
    ['state', { state: 'expired' }],
  ])('a change cannot set %s to %j', async (param, fields) => {
    const { id } = await addKey()
    expect((await gateway.ask(`PATCH /keys/${id}`, fields)).body.error).toMatchObject({ param })
  })

  test.each([{ grace_seconds: -1 }, { grace_seconds: 1.5 }, { grace_seconds: '60' }])(
    'a rotation with %j',
    async (fields) => {
      const { id, secret } = await addKey()
      const { body } = await gateway.ask(`POST /keys/${id}/rotate`, fields)
      expect(body.error).toMatchObject({ code: 'invalid_request', param: 'grace_seconds' })
      expect(knows(secret)).toBe(true)
    },
  )

  test.each(['GET /keys/nobody', 'PATCH /keys/nobody', 'POST /keys/nobody/rotate', 'DELETE /keys/nobody'])(
    '%s is not found',
    async (call) => {
      const answer = await gateway.ask(call, call.startsWith('P') ? {} : undefined)
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    },
  )
})
