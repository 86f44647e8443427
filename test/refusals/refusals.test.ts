import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'

interface Shown {
  readonly request_id: string
  readonly key_id: string
  readonly code: string
  readonly status: number
  readonly model: string | null
  readonly message: string
  readonly param: string | null
  readonly path: string
}
interface Count {
  readonly key_id: string | null
  readonly code: string
  readonly count: number
  readonly starts_at: string
}

const clock = createMovableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
})
afterAll(() => gateway.stop())

const CHAT = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'hi' }] }

async function ask(secret: string, body: unknown = CHAT, path = '/v1/chat/completions') {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await response.text()
  return { status: response.status, requestId: response.headers.get('x-request-id') ?? '' }
}
const list = async (query: string) =>
  (await gateway.operator<{ data: Shown[] }>('GET', `/refusals?${query}`)).data
const counts = async (query: string) =>
  (await gateway.operator<{ data: Count[] }>('GET', `/refusals/counts?${query}`)).data

test('a refused request is kept with what its client was told, and nothing of its body', async () => {
  const { id, secret } = await createLoneKey(gateway)
  const unknown = await ask(secret, { ...CHAT, model: 'no-such-model' })
  const invalid = await ask(secret, { ...CHAT, temperature: 'private words' })
  expect([unknown.status, invalid.status]).toEqual([404, 400])
  const kept = await list(`key_id=${id}`)
  expect(kept).toHaveLength(2)
  expect(kept.find(({ code }) => code === 'model_not_found')).toMatchObject({
    request_id: unknown.requestId,
    key_id: id,
    status: 404,
    model: 'no-such-model',
    param: 'model',
    path: '/v1/chat/completions',
    method: 'POST',
  })
  expect(kept.find(({ code }) => code === 'invalid_request')).toMatchObject({
    request_id: invalid.requestId,
    model: null,
    param: 'temperature',
  })
  expect(JSON.stringify(kept)).not.toContain('private words')
  expect(JSON.stringify(kept)).not.toContain(secret)
})

test('an answered request, and one that a supplier failed, are not refusals', async () => {
  const { id, secret } = await createLoneKey(gateway)
  expect((await ask(secret)).status).toBe(200)
  gateway.sandbox.faults.set({ model: 'sandbox-slow', fault: { type: 'status', status: 500 } })
  const failed = await ask(secret, { ...CHAT, model: 'sandbox-slow' })
  gateway.sandbox.faults.clear()
  expect(failed.status).toBeGreaterThanOrEqual(500)
  expect(await list(`key_id=${id}`)).toEqual([])
  expect(await counts(`key_id=${id}`)).toEqual([])
})

test('limits, balance, disabled keys and wrong keys are told apart', async () => {
  const accountId = await openAccount(gateway)
  const limited = await createKey(gateway, accountId, { rpm: 1 })
  expect((await ask(limited.secret)).status).toBe(200)
  expect((await ask(limited.secret)).status).toBe(429)
  const disabled = await createKey(gateway, accountId)
  await gateway.operator('PATCH', `/keys/${disabled.id}`, { state: 'disabled' })
  expect((await ask(disabled.secret)).status).toBe(401)
  const poor = await createKey(gateway, await openAccount(gateway, '0'))
  expect((await ask(poor.secret)).status).toBe(403)
  const before = (await counts('code=auth_invalid')).find(({ key_id }) => key_id === null)?.count ?? 0
  expect((await ask('sk-nobody')).status).toBe(401)
  expect((await list(`key_id=${limited.id}`)).map(({ code, model }) => [code, model])).toEqual([
    ['rate_limit_exceeded', 'sandbox-chat'],
  ])
  expect((await list(`key_id=${disabled.id}`)).map(({ code }) => code)).toEqual(['auth_invalid'])
  expect((await list(`key_id=${poor.id}`)).map(({ code }) => code)).toEqual(['spending_limit_exceeded'])
  const unknown = (await counts('code=auth_invalid')).find(({ key_id }) => key_id === null)
  expect(unknown?.count).toBe(before + 1)
})

test('many refusals are counted, and few of each kind are kept in detail', async () => {
  const { id, secret } = await createLoneKey(gateway, { rpm: 1 })
  for (let call = 0; call < 30; call++) await ask(secret, { ...CHAT, model: 'no-such-model' })
  const kept = await list(`key_id=${id}`)
  expect(kept.map(({ code }) => code)).toEqual(Array(3).fill('model_not_found'))
  const counted = await counts(`key_id=${id}&span=minute`)
  // After ten, the guard refuses the rest without looking at them.
  expect(new Map(counted.map(({ code, count }) => [code, count]))).toEqual(
    new Map([
      ['model_not_found', 10],
      ['rate_limit_exceeded', 20],
    ]),
  )
})

test('the newest of a key are kept, hours and days add up minutes, and old ones are deleted', async () => {
  const accountId = await openAccount(gateway)
  const { id, secret } = await createKey(gateway, accountId)
  for (let minute = 0; minute < 25; minute++) {
    await ask(secret, { ...CHAT, model: `missing-${minute}` })
    clock.advance(60_000)
  }
  const kept = await list(`key_id=${id}&limit=100`)
  expect(kept.map(({ model }) => model)).toEqual(
    Array.from({ length: 20 }, (_, index) => `missing-${24 - index}`),
  )
  const [hour] = await counts(`account_id=${accountId}&span=day`)
  expect(hour?.count).toBe(25)
  expect(await counts(`account_id=${accountId}&span=minute`)).toHaveLength(25)
  const page = await gateway.operator<{ data: Count[]; next_cursor: string }>(
    'GET',
    `/refusals/counts?account_id=${accountId}&span=minute&limit=10`,
  )
  const next = await counts(`account_id=${accountId}&span=minute&cursor=${page.next_cursor}`)
  expect(next).toHaveLength(15)
  expect((next[0]?.starts_at ?? 'none') < (page.data.at(-1)?.starts_at ?? '')).toBe(true)
  const day = 24 * 60 * 60 * 1_000
  const nowMs = clock.nowMs() + 3 * day
  await gateway.storage.deleteRefusals({ detailsMs: nowMs - 2 * day, countsMs: nowMs - 14 * day }, 500)
  expect(await list(`account_id=${accountId}`)).toEqual([])
  expect(await counts(`account_id=${accountId}&span=minute`)).toHaveLength(25)
  await gateway.storage.deleteRefusals({ detailsMs: nowMs, countsMs: nowMs }, 500)
  expect(await counts(`account_id=${accountId}&span=minute`)).toEqual([])
})

test('what is not yet stored is stored when the gateway stops', async () => {
  const dataFolder = makeDataFolder()
  try {
    const first = await startTestGateway({ dataFolder })
    const { id, secret } = await createLoneKey(first)
    await fetch(`${first.url}/v1/embeddings-not-there`, { method: 'POST' })
    await fetch(`${first.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: '{',
    })
    await first.stop()
    const second = await startTestGateway({ dataFolder })
    const { data } = await second.operator<{ data: Shown[] }>('GET', `/refusals?key_id=${id}`)
    await second.stop()
    expect(data.map(({ code }) => code)).toEqual(['invalid_request'])
  } finally {
    removeDataFolder(dataFolder)
  }
})
