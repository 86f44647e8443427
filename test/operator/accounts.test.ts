import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { findDifference } from '../support/find-difference.ts'
import { addAccount, type GatewayUnderTest, START_MS, startGateway } from './gateway-under-test.ts'

let gateway: GatewayUnderTest
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const NEW_ACCOUNT = {
  name: 'First',
  email: null,
  tier: 'Starter',
  earned_tier: 'Starter',
  tier_due: null,
  tier_assignment: null,
  total_paid: '0',
  balance: '0',
  credit_line: '0',
  balance_alert: null,
  limits: { rpm: 120, tpm: 2_000_000 },
  state: 'active',
  state_reason: null,
  created_at: '2026-06-01T12:00:00Z',
}

describe('accounts', () => {
  test('3.1 a new account is Starter, in every response', async () => {
    const created = await gateway.ask('POST /accounts', { name: 'First' })
    expect(created.status).toBe(200)
    expect(created.body).toEqual({ id: created.body.id, ...NEW_ACCOUNT })
    expect((await gateway.ask(`GET /accounts/${created.body.id}`)).body).toEqual(created.body)
    expect((await gateway.ask('GET /accounts')).body).toEqual({ data: [created.body], next_cursor: null })
  })

  test('an e-mail address is kept', async () => {
    const { body } = await gateway.ask('POST /accounts', { name: 'x', email: 'ada@example.com' })
    expect(body.email).toBe('ada@example.com')
  })

  test('name and credit line can be changed, and null is an unlimited line', async () => {
    const id = await addAccount(gateway)
    const changed = await gateway.ask(`PATCH /accounts/${id}`, { name: 'New', credit_line: '2.5' })
    expect(changed.body).toMatchObject({ name: 'New', credit_line: '2.5' })
    const unlimited = await gateway.ask(`PATCH /accounts/${id}`, { credit_line: null })
    expect(unlimited.body).toMatchObject({ name: 'New', credit_line: null })
    expect((await gateway.storage.loadConfiguration()).accounts[0]).toMatchObject({
      name: 'New',
      creditLineNano: null,
    })
  })

  test('a change without effect leaves no audit event', async () => {
    const id = await addAccount(gateway)
    await gateway.ask(`PATCH /accounts/${id}`, { name: 'First' })
    await gateway.ask(`PATCH /accounts/${id}`, {})
    expect((await gateway.ask('GET /audit')).body.data).toHaveLength(1)
  })

  test('lists are paged', async () => {
    for (const name of ['a', 'b', 'c']) {
      gateway.clock.timeMs += 1
      await gateway.ask('POST /accounts', { name })
    }
    const first = await gateway.ask('GET /accounts?limit=2')
    expect(first.body.data.map((account: { name: string }) => account.name)).toEqual(['a', 'b'])
    const second = await gateway.ask(`GET /accounts?limit=2&cursor=${first.body.next_cursor}`)
    expect(second.body.data.map((account: { name: string }) => account.name)).toEqual(['c'])
    expect(second.body.next_cursor).toBeNull()
  })
})

describe('payments and adjustments', () => {
  test('a payment raises balance and total paid; the same reference twice is one payment', async () => {
    const id = await addAccount(gateway)
    const input = { amount: '12.5', reference: 'inv-1', note: 'June' }
    const first = await gateway.ask(`POST /accounts/${id}/payments`, input)
    expect(first.body).toEqual({
      id: first.body.id,
      account_id: id,
      amount: '12.5',
      reference: 'inv-1',
      note: 'June',
      created_at: '2026-06-01T12:00:00Z',
    })
    gateway.clock.timeMs += 5_000
    const again = await gateway.ask(`POST /accounts/${id}/payments`, input)
    expect(again.body).toEqual(first.body)
    const account = (await gateway.ask(`GET /accounts/${id}`)).body
    expect(account).toMatchObject({ balance: '12.5', total_paid: '12.5', tier: 'Starter' })
    expect((await gateway.storage.loadBalances()).get(id)).toBe(12_500_000_000n)
    expect((await gateway.storage.loadConfiguration()).accounts[0]?.totalPaidNano).toBe(12_500_000_000n)
  })

  test('a reference with another amount is refused and changes nothing', async () => {
    const id = await addAccount(gateway)
    await gateway.ask(`POST /accounts/${id}/payments`, { amount: '5', reference: 'inv-1' })
    const other = await gateway.ask(`POST /accounts/${id}/payments`, { amount: '6', reference: 'inv-1' })
    expect(other.status).toBe(400)
    expect(other.body.error).toMatchObject({ code: 'invalid_request', param: 'amount' })
    expect((await gateway.ask(`GET /accounts/${id}`)).body.balance).toBe('5')
  })

  test('a later change of the account keeps what was paid', async () => {
    const id = await addAccount(gateway)
    await gateway.ask(`POST /accounts/${id}/payments`, { amount: '5', reference: 'inv-1' })
    await gateway.ask(`PATCH /accounts/${id}`, { name: 'Renamed' })
    expect((await gateway.storage.loadConfiguration()).accounts[0]?.totalPaidNano).toBe(5_000_000_000n)
  })

  test('an adjustment moves the balance either way and is no payment', async () => {
    const id = await addAccount(gateway)
    const down = await gateway.ask(`POST /accounts/${id}/adjustments`, { amount: '-1.5', reason: 'refund' })
    expect(down.body).toEqual({
      id: down.body.id,
      account_id: id,
      amount: '-1.5',
      reference: null,
      reason: 'refund',
      created_at: '2026-06-01T12:00:00Z',
    })
    await gateway.ask(`POST /accounts/${id}/adjustments`, { amount: '0.25', reason: 'sorry' })
    expect((await gateway.ask(`GET /accounts/${id}`)).body).toMatchObject({
      balance: '-1.25',
      total_paid: '0',
    })
    expect(await findDifference(gateway.storage)).toBeNull()
  })
})

describe('tiers', () => {
  test('an assignment sets tier and own limits until its end', async () => {
    const id = await addAccount(gateway)
    const assigned = await gateway.ask(`PUT /accounts/${id}/tier`, {
      tier: 'Enterprise',
      rpm: 9000,
      expires_at: '2026-06-01T13:00:00Z',
      reason: 'contract',
    })
    expect(assigned.body).toMatchObject({
      tier: 'Enterprise',
      earned_tier: 'Starter',
      limits: { rpm: 9000, tpm: 60_000_000 },
      tier_assignment: {
        tier: 'Enterprise',
        rpm: 9000,
        tpm: null,
        expires_at: '2026-06-01T13:00:00Z',
        reason: 'contract',
        assigned_by: 'operator',
      },
    })
    gateway.clock.timeMs = START_MS + 3_600_000
    const after = await gateway.ask(`GET /accounts/${id}`)
    expect(after.body).toMatchObject({ tier: 'Starter', limits: { rpm: 120, tpm: 2_000_000 } })
  })

  test('an assignment can be ended, and ending none leaves no audit event', async () => {
    const id = await addAccount(gateway)
    await gateway.ask(`PUT /accounts/${id}/tier`, { tier: 'Trial', reason: 'abuse' })
    const ended = await gateway.ask(`DELETE /accounts/${id}/tier`)
    expect(ended.body).toMatchObject({ tier: 'Starter', tier_assignment: null })
    expect((await gateway.ask(`DELETE /accounts/${id}/tier`)).status).toBe(200)
    expect(
      (await gateway.ask('GET /audit')).body.data.map((event: { action: string }) => event.action),
    ).toEqual(['account.tier_ended', 'account.tier_assigned', 'account.created'])
  })
})

const REFUSED: readonly [call: string, body: unknown, param: string | null][] = [
  ['POST /accounts', {}, 'name'],
  ['POST /accounts', { name: '' }, 'name'],
  ['POST /accounts', { name: '  ' }, 'name'],
  ['POST /accounts', { name: 5 }, 'name'],
  ['POST /accounts', { name: 'x', email: 'nobody' }, 'email'],
  ['POST /accounts', { name: 'x', colour: 'red' }, 'colour'],
  ['POST /accounts', [], null],
  ['POST /accounts', '{"name":', null],
  ['PATCH /accounts/ID', { credit_line: '-1' }, 'credit_line'],
  ['PATCH /accounts/ID', { credit_line: 5 }, 'credit_line'],
  ['PATCH /accounts/ID', { credit_line: '1000000000.000000001' }, 'credit_line'],
  ['PATCH /accounts/ID', { credit_line: '1e3' }, 'credit_line'],
  ['PATCH /accounts/ID', { email: 'a@b' }, 'email'],
  ['PATCH /accounts/ID', { name: ' ' }, 'name'],
  ['POST /accounts/ID/payments', { amount: '0', reference: 'r' }, 'amount'],
  ['POST /accounts/ID/payments', { amount: '-1', reference: 'r' }, 'amount'],
  ['POST /accounts/ID/payments', { amount: 5, reference: 'r' }, 'amount'],
  ['POST /accounts/ID/payments', { amount: '0.0000000001', reference: 'r' }, 'amount'],
  ['POST /accounts/ID/payments', { amount: '5' }, 'reference'],
  ['POST /accounts/ID/payments', { amount: '5', reference: ' ' }, 'reference'],
  ['POST /accounts/ID/adjustments', { amount: '0', reason: 'r' }, 'amount'],
  ['POST /accounts/ID/adjustments', { amount: '1' }, 'reason'],
  ['POST /accounts/ID/adjustments', { amount: '1', reason: 'r', reference: '' }, 'reference'],
  ['POST /accounts/ID/adjustments', { amount: '1', reason: 'r', reference: ' ' }, 'reference'],
  ['POST /accounts/ID/adjustments', { amount: '1', reason: 'r', reference: 5 }, 'reference'],
  ['POST /accounts/ID/adjustments', { amount: '1', reason: 'r', reference: null }, 'reference'],
  ['POST /accounts/ID/adjustments', { amount: '1', reason: 'r', reference: 'r'.repeat(201) }, 'reference'],
  ['PUT /accounts/ID/tier', { tier: 'Gold', reason: 'r' }, 'tier'],
  ['PUT /accounts/ID/tier', { tier: 'Trial' }, 'reason'],
  ['PUT /accounts/ID/tier', { tier: 'Trial', reason: 'r', expires_at: '2026-06-01T12:00:00Z' }, 'expires_at'],
  ['PUT /accounts/ID/tier', { tier: 'Trial', reason: 'r', expires_at: '2027-02-30T00:00:00Z' }, 'expires_at'],
  ['PUT /accounts/ID/tier', { tier: 'Trial', reason: 'r', expires_at: '2027-01-01' }, 'expires_at'],
  ['PUT /accounts/ID/tier', { tier: 'Trial', reason: 'r', rpm: 0 }, 'rpm'],
  ['GET /accounts?limit=0', undefined, 'limit'],
  ['GET /accounts?limit=201', undefined, 'limit'],
  ['GET /accounts?limit=ten', undefined, 'limit'],
  ['GET /accounts?cursor=%25', undefined, 'cursor'],
  ['GET /accounts?page=2', undefined, 'page'],
]

describe('refusals', () => {
  test.each(REFUSED)('%s %j names %s', async (call, body, param) => {
    const id = await addAccount(gateway)
    const answer = await gateway.ask(call.replace('ID', id), body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ code: 'invalid_request', type: 'invalid_request', param })
    expect((await gateway.ask('GET /audit')).body.data).toHaveLength(1)
  })

  test('a number as an amount is refused with a hint to send a string', async () => {
    const id = await addAccount(gateway)
    const answer = await gateway.ask(`POST /accounts/${id}/payments`, { amount: 5, reference: 'r' })
    expect(answer.body.error.message).toBe('amount must be a string in quotes, not a number.')
  })

  test.each([
    ['GET /accounts/nobody', undefined],
    ['PATCH /accounts/nobody', { name: 'x' }],
    ['POST /accounts/nobody/payments', { amount: '1', reference: 'r' }],
    ['POST /accounts/nobody/adjustments', { amount: '1', reason: 'r' }],
    ['PUT /accounts/nobody/tier', { tier: 'Trial', reason: 'r' }],
    ['DELETE /accounts/nobody/tier', undefined],
    ['POST /accounts/nobody/keys', { name: 'k' }],
    ['GET /accounts/nobody/keys', undefined],
  ])('%s of an unknown account is not found', async (call, body) => {
    const answer = await gateway.ask(call, body)
    expect(answer.status).toBe(404)
    expect(answer.body.error.code).toBe('not_found')
  })
})

describe('concurrent changes', () => {
  test('are all kept', async () => {
    const id = await addAccount(gateway)
    const { operations } = gateway
    await Promise.all([
      ...Array.from({ length: 20 }, (_, index) =>
        operations.recordPayment(
          id,
          { amountNano: 1_000_000_000n, reference: `r-${index}`, note: null },
          'a',
        ),
      ),
      operations.changeAccount(id, { name: 'Renamed' }, 'b'),
      operations.changeAccount(id, { creditLineNano: 7_000_000_000n }, 'c'),
      operations.assignTier(id, { tier: 'Scale', rpm: null, tpm: null, expiresAtMs: null, reason: 'r' }, 'd'),
      ...Array.from({ length: 10 }, (_, index) =>
        gateway.ask(`POST /accounts/${id}/keys`, { name: `k${index}` }),
      ),
    ])
    const live = gateway.configuration.current()
    const stored = await gateway.storage.loadConfiguration()
    expect(live.accounts.get(id)).toMatchObject({
      name: 'Renamed',
      creditLineNano: 7_000_000_000n,
      totalPaidNano: 20_000_000_000n,
      tierAssignment: { tier: 'Scale' },
    })
    expect(stored.accounts).toEqual([...live.accounts.values()])
    expect(live.keys.size).toBe(10)
    expect(gateway.admissions.balanceNano(id)).toBe(20_000_000_000n)
    expect((await gateway.ask('GET /audit?limit=200')).body.data).toHaveLength(34)
  })

  test('a refused one does not affect the others', async () => {
    const id = await addAccount(gateway)
    const answers = await Promise.all([
      gateway.ask(`POST /accounts/${id}/payments`, { amount: '-1', reference: 'bad' }),
      gateway.ask(`POST /accounts/${id}/payments`, { amount: '1', reference: 'good' }),
    ])
    expect(answers.map((answer) => answer.status)).toEqual([400, 200])
  })

  test('a change that cannot be stored is not in force', async () => {
    const id = await addAccount(gateway)
    await gateway.storage.close()
    expect((await gateway.ask(`PATCH /accounts/${id}`, { name: 'Lost' })).status).toBe(500)
    expect((await gateway.ask(`POST /accounts/${id}/payments`, { amount: '1', reference: 'r' })).status).toBe(
      500,
    )
    expect((await gateway.ask(`GET /accounts/${id}`)).body).toMatchObject({ name: 'First', balance: '0' })
  })
})
