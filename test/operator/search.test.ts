import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  addHousehold,
  addOwnSupplier,
  askModel,
  type Household,
} from '../console-api/support/account-stage.ts'
import { settlementsOf } from '../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let acme: Household
beforeAll(async () => {
  gateway = await startTestGateway()
  acme = await addHousehold(gateway, 'Acme')
})
afterAll(() => gateway.stop())

const search = async (q: string) => {
  const path = `/search?q=${encodeURIComponent(q)}`
  return (await gateway.operator<{ data: Record<string, unknown>[] }>('GET', path)).data
}

test('finds accounts, keys, models and suppliers by name and id, whatever the case', async () => {
  expect(await search('ACME')).toMatchObject([
    { kind: 'account', name: 'Acme', id: acme.accountId },
    { kind: 'key', name: 'Acme key', id: acme.keyId, account_id: acme.accountId },
  ])
  expect(await search(acme.keyId)).toMatchObject([{ kind: 'key', id: acme.keyId }])
  const kinds = (await search('sandbox-')).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'model')).toHaveLength(5)
  expect(kinds.filter((kind) => kind === 'supplier')).toHaveLength(3)
  expect(await search('  ')).toEqual([])
  expect(JSON.stringify(await search('acme'))).not.toContain(acme.secret)
})

test('finds a request by its whole id', async () => {
  const id = await askModel(gateway, acme)
  await settlementsOf(gateway, acme.keyId, 1)
  expect(await search(id)).toMatchObject([{ kind: 'request', id, account_id: acme.accountId }])
  expect(await search('req_unknown')).toEqual([])
})

test('an owner tests the credentials of an own supplier, and sees what it serves', async () => {
  await addOwnSupplier(gateway, acme, 'acme-own')
  const path = `POST /accounts/${acme.accountId}/own-suppliers/acme-own/test`
  const { status, body } = await acme.owner.call(path)
  expect(status).toBe(200)
  expect(body.data).toMatchObject([{ supplier: 'acme-own', label: 'mine', result: 'works' }])
  expect(body.models).toContain('sandbox-chat')
  expect(JSON.stringify(body)).not.toContain('sk-sandbox-own-credential')

  const other = await addHousehold(gateway, 'Other')
  expect((await other.owner.call(path)).status).toBe(404)
  const foreign = await other.owner.call(path.replace(acme.accountId, other.accountId))
  expect(foreign.status).toBe(404)
})
