import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addHousehold, addOwnSupplier, askModel, type Household } from './support/account-stage.ts'
import { browserOf } from './support/people.ts'

let gateway: TestGateway
let mine: Household
let theirs: Household
/** Something of the other account for each path that names one. */
const foreign = new Map<string, string>()

beforeAll(async () => {
  gateway = await startTestGateway()
  mine = await addHousehold(gateway, 'Mine')
  theirs = await addHousehold(gateway, 'Theirs')
  const { credentialId } = await addOwnSupplier(gateway, theirs, 'their-supplier')
  await theirs.owner.call(`PUT /accounts/${theirs.accountId}/body-storage`, { body: { enabled: true } })
  await mine.owner.call(`PUT /accounts/${mine.accountId}/body-storage`, { body: { enabled: true } })
  const requestId = await askModel(gateway, theirs)
  await askModel(gateway, mine)
  const at = `/accounts/${theirs.accountId}`
  const view = await theirs.owner.call(`POST ${at}/explore/views`, {
    body: { name: 'Theirs', search: 'metric=requests' },
  })
  const invite = await theirs.owner.call(`POST ${at}/invites`, { body: { role: 'viewer' } })
  const payment = await gateway.operator<{ id: string }>('POST', `${at}/payments`, {
    amount: '1',
    reference: 'their-payment',
  })
  foreign.set('explore', view.body.id)
  foreign.set('invites', invite.body.id)
  foreign.set('payments', payment.id)
  foreign.set('keys', theirs.keyId)
  foreign.set('settlements', requestId)
  foreign.set('bodies', requestId)
  foreign.set('own-suppliers', 'their-supplier')
  foreign.set('own-credentials', credentialId)
  foreign.set('members', theirs.ownerId)
})
afterAll(() => gateway.stop())

const BODIES: Readonly<Record<string, unknown>> = {
  'PUT own-suppliers': {
    type: 'openai',
    base_url: 'https://api.example.com/v1',
    formats: ['chat-completion'],
  },
  'POST own-suppliers': { secret: 'sk-stolen-credential' },
  'PATCH keys': { name: 'stolen' },
}

describe('what belongs to another account', () => {
  test('is not found through your own account, whatever the call', async () => {
    const endpoints = gateway.endpoints.filter(({ path }) => /\/accounts\/:account\/.*:\w+/.test(path))
    expect(endpoints.length).toBeGreaterThanOrEqual(10)
    for (const { method, path } of endpoints) {
      const thing = path.split('/')[5] ?? ''
      const id = foreign.get(thing)
      // A new kind of thing has to be thought about here.
      expect([path, typeof id]).toEqual([path, 'string'])
      const address = path.replace(':account', mine.accountId).replace(/:(id|user)/, id ?? '')
      const body = method === 'GET' ? undefined : (BODIES[`${method} ${thing}`] ?? {})
      const answer = await mine.owner.request(`${method} ${address}`, { body })
      expect([method, path, answer.status, answer.body.error?.code]).toEqual([method, path, 404, 'not_found'])
    }
  })

  test('is unchanged afterwards', async () => {
    const { owner, accountId, keyId, ownerId } = theirs
    const key = await owner.call(`GET /accounts/${accountId}/keys/${keyId}`)
    expect([key.body.name, key.body.state]).toEqual(['Theirs key', 'active'])
    const suppliers = await owner.call(`GET /accounts/${accountId}/own-suppliers`)
    expect(suppliers.body.data[0].credentials).toHaveLength(1)
    const members = await owner.call(`GET /accounts/${accountId}/members`)
    expect(members.body.data.map((member: { user_id: string }) => member.user_id)).toEqual([ownerId])
  })

  test('is in no list of your own account, even when the query names it', async () => {
    const at = `/accounts/${mine.accountId}`
    const names = [theirs.accountId, theirs.keyId, foreign.get('settlements') ?? '', 'their-supplier']
    const lists = [
      '/overview',
      '/usage?group_by=key',
      '/usage?group_by=supplier',
      '/keys',
      '/models',
      '/settlements',
      '/ledger',
      '/payments',
      '/payment-methods',
      `/alerts?account_id=${theirs.accountId}`,
      '/exports/settlements',
      '/exports/ledger',
      '/own-suppliers',
      '/members',
    ]
    for (const list of lists) {
      const answer = await mine.owner.call(`GET ${at}${list}`)
      expect([list, answer.status]).toEqual([list, 200])
      const text = JSON.stringify(answer.body)
      for (const name of names) expect([list, name, text.includes(name)]).toEqual([list, name, false])
    }
    const filters = [
      `/settlements?account=${theirs.accountId}`,
      `/settlements?account_id=${theirs.accountId}`,
      `/settlements?key=${theirs.keyId}`,
      `/exports/settlements?account_id=${mine.accountId}&account_id=${theirs.accountId}`,
      `/exports/ledger?account_id=${theirs.accountId}`,
    ]
    for (const filter of filters) {
      const answer = await mine.owner.call(`GET ${at}${filter}`)
      expect([filter, answer.status]).toEqual([filter, 400])
    }
    for (const list of ['/settlements', '/exports/settlements', '/models']) {
      const answer = await mine.owner.call(`GET ${at}${list}?key_id=${theirs.keyId}`)
      expect([list, answer.status]).toEqual([list, 404])
    }
  })

  test('cannot be named in the route policy of your keys', async () => {
    const answer = await mine.owner.call(`POST /accounts/${mine.accountId}/keys`, {
      body: { name: 'k', route_policy: { mode: 'specified_provider', provider: 'their-supplier' } },
    })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'route_policy.provider'])
  })
})

describe('what only operators know', () => {
  test('is in no response to members', async () => {
    await gateway.operator('PUT', `/accounts/${mine.accountId}/tier`, {
      tier: 'Scale',
      reason: 'a good friend',
    })
    const requestId = await askModel(gateway, mine)
    const { data } = await gateway.operator<{ data: { credential_id: string }[] }>(
      'GET',
      `/settlements?account=${mine.accountId}`,
    )
    const credentialId = data[0]?.credential_id ?? ''
    expect(credentialId).toStartWith('cred_')
    const calls = [
      '/overview',
      '/settlements',
      `/settlements/${requestId}`,
      '/exports/settlements',
      '/models',
    ]
    for (const call of calls) {
      const { status, body } = await mine.owner.call(`GET /accounts/${mine.accountId}${call}`)
      const text = JSON.stringify(body)
      expect([call, status]).toEqual([call, 200])
      expect([call, text.includes(credentialId), text.includes('credential_id')]).toEqual([
        call,
        false,
        false,
      ])
      expect([call, text.includes('a good friend')]).toEqual([call, false])
    }
  })

  test('is shown to an operator who looks at the account', async () => {
    const { email = '', password = '' } = gateway.newUser ?? {}
    const operator = await browserOf(gateway, email, password)
    const { body } = await operator.call(`GET /accounts/${mine.accountId}/settlements`)
    expect(body.data[0].credential_id).toStartWith('cred_')
    const overview = await operator.call(`GET /accounts/${mine.accountId}/overview`)
    expect(overview.body.account.tier_assignment.reason).toBe('a good friend')
    expect((await operator.call('GET /accounts/acc_none/overview')).status).toBe(404)
  })
})
