import { afterAll, beforeAll, expect, test } from 'bun:test'
import { addHousehold, type Household } from '../console-api/support/account-stage.ts'
import { chat } from '../support/chat.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let acme: Household
beforeAll(async () => {
  gateway = await startTestGateway()
  acme = await addHousehold(gateway, 'Acme')
})
afterAll(() => gateway.stop())

async function ask(): Promise<string | null> {
  const response = await chat(gateway.url, {}, { key: acme.secret, headers: {} })
  const { error } = (await response.json()) as { error?: { code: string } }
  return error?.code ?? null
}

const change = (what: string, body: object = {}) =>
  gateway.operator<Record<string, unknown>>('POST', `/accounts/${acme.accountId}/${what}`, body)

test('a suspended account is refused until it is reopened', async () => {
  expect(await ask()).toBeNull()
  await expect(change('suspend')).rejects.toThrow('reason')
  expect(await change('suspend', { reason: 'unpaid' })).toMatchObject({
    state: 'suspended',
    state_reason: 'unpaid',
  })
  expect(await ask()).toBe('permission_denied')
  const { body } = await acme.owner.call(`GET /accounts/${acme.accountId}/overview`)
  expect(body.account).toMatchObject({ state: 'suspended', state_reason: 'unpaid' })
  expect(await change('reopen')).toMatchObject({ state: 'active', state_reason: null })
  expect(await ask()).toBeNull()
})

test('closing revokes the keys for good and keeps the balance', async () => {
  await gateway.operator('POST', `/accounts/${acme.accountId}/payments`, { amount: '5', reference: 'last' })
  const closed = await change('close', { reason: 'contract ended' })
  expect(closed).toMatchObject({ state: 'closed', state_reason: 'contract ended' })
  expect(Number(closed.balance)).toBeGreaterThan(4)
  expect(await ask()).toBe('auth_invalid')
  const { data } = await gateway.operator<{ data: { state: string }[] }>(
    'GET',
    `/accounts/${acme.accountId}/keys`,
  )
  expect(data.map(({ state }) => state)).toEqual(['revoked'])
  await expect(change('reopen')).rejects.toThrow('final')
  await expect(change('keys', { name: 'another' })).rejects.toThrow('closed')
  // What is owed can still be settled.
  await change('refunds', { amount: '1', reference: 'rest', reason: 'paid out' })
})

test('the audit is searched by author, kind, object and time, and names objects', async () => {
  const list = async (query: string) =>
    (await gateway.operator<{ data: Record<string, string>[] }>('GET', `/audit?${query}`)).data
  const states = await list(`kind=account&subject=${acme.accountId.toUpperCase()}`)
  expect(states.map(({ action }) => action)).toEqual([
    'account.closed',
    'account.reopened',
    'account.suspended',
    'account.changed',
    'account.created',
  ])
  expect(states[0]).toMatchObject({
    subject_name: 'Acme',
    before: { state: 'active' },
    after: { state: 'closed' },
  })
  expect(await list('actor=owner@acme&kind=key')).toMatchObject([
    { action: 'key.created', subject_name: 'Acme key' },
  ])
  expect(await list('actor=100%25')).toEqual([])
  expect(await list('actor=owner_acme')).toEqual([])
  expect(await list(`to=${states.at(-1)?.at}&subject=${acme.accountId}`)).toEqual([])
  expect(await list(`from=${states[0]?.at}&kind=account`)).toMatchObject([{ action: 'account.closed' }])
})
