import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { createLoneKey, type IssuedKey } from '../support/accounts.ts'
import { chat } from '../support/chat.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const CREDENTIALS = 3
let chosen: Sandbox
let other: Sandbox
let gateway: TestGateway

beforeAll(async () => {
  chosen = startSandbox()
  other = startSandbox()
  gateway = await startTestGateway({ random: fractions() })
  await addSupplier(gateway, { id: 'chosen', sandbox: chosen })
  for (let added = 1; added < CREDENTIALS; added += 1) {
    await gateway.operator('POST', '/suppliers/chosen/credentials', { secret: `sk-sandbox-${added}` })
  }
  await addSupplier(gateway, { id: 'other', sandbox: other })
  // The other one is to be tried first wherever the policy allows it.
  await addModel(gateway, 'shared-model', { suppliers: ['other', 'chosen'] })
  await addModel(gateway, 'other-model', { suppliers: ['other'] })
})
afterAll(async () => {
  await gateway.stop()
  await chosen.stop()
  await other.stop()
})

/** Evenly spread, the same in every run. */
function fractions(): () => number {
  let draws = 0
  return () => (++draws * 0.618_033_988_749_895) % 1
}

/** The log keeps only the last calls, but numbers them all. */
const callsTo = (sandbox: Sandbox) => sandbox.calls.at(-1)?.number ?? 0

const POLICY = { mode: 'specified_provider', provider: 'chosen' }

interface Entry {
  readonly id: string
  readonly gateway: { readonly route_policy: object }
}

async function listModels({ secret }: IssuedKey): Promise<Entry[]> {
  const headers = { authorization: `Bearer ${secret}` }
  return ((await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as { data: Entry[] }).data
}

async function askOften(key: IssuedKey, times: number): Promise<void> {
  for (let asked = 0; asked < times; asked += 1) {
    const content = `conversation ${asked} of ${key.id}`
    const fields = { model: 'shared-model', messages: [{ role: 'user', content }] }
    const answer = await chat(gateway.url, fields, { key: key.secret })
    expect([answer.status, answer.headers.get('x-gateway-route')]).toEqual([200, 'chosen'])
    await answer.arrayBuffer()
  }
}

test('a key with a specified provider uses no other, and all of its credentials', async () => {
  const key = await createLoneKey(gateway, { route_policy: POLICY })
  const before = [callsTo(chosen), callsTo(other)]
  await askOften(key, 24)
  expect([callsTo(chosen), callsTo(other)]).toEqual([(before[0] ?? 0) + 24, before[1] ?? 0])
  const path = `/settlements?key=${key.id}&limit=200`
  const { data } = await gateway.operator<{ data: { credential_id: string }[] }>('GET', path)
  expect(new Set(data.map(({ credential_id }) => credential_id)).size).toBe(CREDENTIALS)
})

test('the model list and generation follow a policy change at once', async () => {
  const key = await createLoneKey(gateway)
  const change = (route_policy: object) => gateway.operator('PATCH', `/keys/${key.id}`, { route_policy })
  for (let turn = 0; turn < 3; turn += 1) {
    await change(POLICY)
    const narrowed = await listModels(key)
    expect(narrowed.map(({ id }) => id)).toEqual(['shared-model'])
    expect(narrowed[0]?.gateway.route_policy).toEqual(POLICY)
    await askOften(key, 2)
    const refused = await chat(gateway.url, { model: 'other-model' }, { key: key.secret })
    expect(refused.status).toBe(404)
    await change({ mode: 'intelligent' })
    expect((await listModels(key)).map(({ id }) => id)).toContain('other-model')
    expect((await chat(gateway.url, { model: 'other-model' }, { key: key.secret })).status).toBe(200)
  }
})

test('a supplier that fails is not replaced by another', async () => {
  const key = await createLoneKey(gateway, { route_policy: POLICY })
  chosen.faults.set({ fault: { type: 'status', status: 500 } })
  const before = callsTo(other)
  const answer = await chat(gateway.url, { model: 'shared-model' }, { key: key.secret })
  expect(answer.status).toBe(502)
  expect(callsTo(other)).toBe(before)
  chosen.faults.clear()
})
