import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { addAccount, addSupply, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

let gateway: GatewayUnderTest
let accountId: string
const keyIds = new Map<string, string>()

beforeAll(async () => {
  gateway = await startGateway()
  await addSupply(gateway)
  accountId = await addAccount(gateway)
  for (const name of ['Zebra', 'Second', 'Poor']) await gateway.ask('POST /accounts', { name })
  await gateway.ask(`PATCH /accounts/${accountId}`, { credit_line: null })
  await addKey('Website 10')
  await addKey('website 9', { usage_limit: { period: 'forever', amount: '1' } })
  await addKey('Nightly', { expires_at: '2026-06-02T00:00:00Z' })
  await addKey('Old')
  await gateway.ask(`DELETE /keys/${keyIds.get('Old')}`)
  spend('website 9', 2_000_000_000n)
  spend('Nightly', 1n)
})
afterAll(() => gateway.close())

async function addKey(name: string, fields: object = {}): Promise<void> {
  gateway.clock.timeMs += 1
  const { body } = await gateway.ask(`POST /accounts/${accountId}/keys`, { name, ...fields })
  keyIds.set(name, body.id)
}

function spend(name: string, amountNano: bigint): void {
  const { admissions, clock } = gateway
  const [keyId = '', requestId] = [keyIds.get(name), `req_${name}`]
  const hold = { amountNano: 0n, usageLimit: null, creditLineNano: null }
  const terms = { configurationVersion: 1, conversation: null, windows: [], hold }
  admissions.admit({ requestId, accountId, keyId, ...terms })
  admissions.settle(requestId, amountNano, clock.nowMs())
}

async function namesOf(path: string): Promise<string[]> {
  const { status, body } = await gateway.ask(`GET ${path}`)
  expect(status).toBe(200)
  return body.data.map((item: { name?: string; id: string }) => item.name ?? item.id)
}

async function keyNames(query: string): Promise<string[]> {
  return namesOf(`/accounts/${accountId}/keys?${query}`)
}

describe('a list of keys', () => {
  test('is searched by name, id and last characters', async () => {
    expect(await keyNames('search=WEBSITE')).toEqual(['Website 10', 'website 9'])
    expect(await keyNames(`search=${keyIds.get('Old')}`)).toEqual(['Old'])
    const { body } = await gateway.ask(`GET /keys/${keyIds.get('Nightly')}`)
    expect(await keyNames(`search=${body.last_four}`)).toContain('Nightly')
    expect(await keyNames(`ids=${keyIds.get('Old')},${keyIds.get('Website 10')},key_none`)).toEqual([
      'Website 10',
      'Old',
    ])
  })

  test('covers all accounts for operators who ask for that', async () => {
    const { body } = await gateway.ask(`GET /accounts?search=zebra`)
    const other = (await gateway.ask(`POST /accounts/${body.data[0].id}/keys`, { name: 'Website of Zebra' }))
      .body
    expect(await namesOf('/keys?search=website')).toEqual(['Website 10', 'website 9', 'Website of Zebra'])
    expect(await namesOf(`/keys?search=zebra%20website&ids=${other.id}`)).toEqual(['Website of Zebra'])
    expect(await keyNames('search=zebra')).toEqual([])
  })

  test('is ordered by a column, with a cursor that goes on in that order', async () => {
    expect(await keyNames('sort=name')).toEqual(['Nightly', 'Old', 'website 9', 'Website 10'])
    expect(await keyNames('sort=-spent&state=not_revoked')).toEqual(['website 9', 'Nightly', 'Website 10'])
    const path = `GET /accounts/${accountId}/keys?sort=-name&limit=3`
    const first = (await gateway.ask(path)).body
    const second = (await gateway.ask(`${path}&cursor=${first.next_cursor}`)).body
    expect(second.data.map(({ name }: { name: string }) => name)).toEqual(['Nightly'])
    expect(second.next_cursor).toBeNull()
  })

  test('is narrowed to a state', async () => {
    expect(await keyNames('state=not_revoked')).toEqual(['Website 10', 'website 9', 'Nightly'])
    expect(await keyNames('state=revoked')).toEqual(['Old'])
    expect(await keyNames('state=limit_reached')).toEqual(['website 9'])
    expect(await keyNames('state=active&search=nightly')).toEqual(['Nightly'])
  })

  test('refuses a sort and a state that there are not', async () => {
    for (const query of ['sort=secret', 'state=gone', 'order=name']) {
      const { status, body } = await gateway.ask(`GET /accounts/${accountId}/keys?${query}`)
      expect([status, body.error.param]).toEqual([400, query.split('=')[0]])
    }
  })

  test('tells what stops each key, as the request path decides it', async () => {
    const stops = async () => {
      const { body } = await gateway.ask(`GET /accounts/${accountId}/keys`)
      return Object.fromEntries(
        body.data.map(({ name, stopped_by }: { name: string; stopped_by: string | null }) => [
          name,
          stopped_by,
        ]),
      )
    }
    const usual = { 'Website 10': null, 'website 9': 'usage_limit', Nightly: null, Old: 'revoked' }
    expect(await stops()).toEqual(usual)
    gateway.clock.timeMs += 24 * 3_600_000
    await gateway.ask(`PATCH /accounts/${accountId}`, { credit_line: '0' })
    await gateway.ask(`PATCH /keys/${keyIds.get('Website 10')}`, { state: 'disabled' })
    expect(await stops()).toEqual({ ...usual, 'Website 10': 'disabled', Nightly: 'expired' })
    await gateway.ask(`PATCH /keys/${keyIds.get('Website 10')}`, { state: 'active' })
    expect(await stops()).toEqual({ ...usual, 'Website 10': 'balance', Nightly: 'expired' })
    await gateway.ask(`POST /accounts/${accountId}/suspend`, { reason: 'unpaid' })
    expect(Object.values(await stops())).toEqual(['account', 'account', 'account', 'revoked'])
  })
})

describe('other lists', () => {
  test('of accounts are searched, narrowed to a tier and ordered', async () => {
    expect(await namesOf('/accounts?search=zebra')).toEqual(['Zebra'])
    expect(await namesOf('/accounts?sort=-name')).toEqual(['Zebra', 'Second', 'Poor', 'First'])
    expect(await namesOf('/accounts?sort=balance&limit=1')).toEqual(['First'])
    expect(await namesOf('/accounts?tier=Starter&sort=name')).toEqual(['First', 'Poor', 'Second', 'Zebra'])
    expect(await namesOf('/accounts?tier=Scale')).toEqual([])
  })

  test('of models and suppliers are searched, narrowed and ordered', async () => {
    await gateway.ask('PUT /models/paint', { owned_by: 'acme', display_name: 'Paint', kinds: ['image'] })
    await gateway.ask('PUT /suppliers/zed', { type: 'openai-compatible', base_url: 'http://127.0.0.1:1/v1' })
    expect(await namesOf('/models?search=PAI')).toEqual(['paint'])
    expect(await namesOf('/models?kind=text')).toEqual(['gpt-5'])
    expect(await namesOf('/models?sort=-id')).toEqual(['paint', 'gpt-5'])
    expect(await namesOf('/suppliers?sort=-id')).toEqual(['zed', 'acme'])
    expect(await namesOf('/suppliers?search=4020&source=shared')).toEqual(['acme'])
    expect(await namesOf('/suppliers?source=byok')).toEqual([])
  })
})
