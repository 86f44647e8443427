import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openAccount } from '../support/accounts.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock: createMovableClock() })
})
afterAll(() => gateway.stop())

const URL_OF_HOOK = 'https://hooks.example.com/alerts?token=t0k3n'
const put = (account: string, fields: object) =>
  gateway.operator<{ secret: string | null }>('PUT', `/accounts/${account}/webhook`, fields)

async function refusalOf(method: string, path: string, body?: object) {
  const response = await fetch(`${gateway.url}/operator/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { error } = (await response.json()) as { error: { code: string; param: string; message: string } }
  return { status: response.status, ...error }
}

describe('the webhook of an account', () => {
  test('shows its secret once, and keeps it when changed', async () => {
    const account = await openAccount(gateway)
    const { secret, ...made } = await put(account, { url: URL_OF_HOOK })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9]{48}$/)
    const shown = {
      account_id: account,
      url: URL_OF_HOOK,
      enabled: true,
      created_at: '2026-06-10T12:00:00Z',
    }
    expect(made).toEqual(shown as object)
    expect(await gateway.operator<object>('GET', `/accounts/${account}/webhook`)).toEqual(shown)
    const other = { url: 'https://example.com/', enabled: false }
    expect(await put(account, other)).toEqual({ ...shown, ...other, secret: null } as { secret: null })
    expect((await gateway.storage.findWebhook(account))?.secret).toBe(secret ?? '')
  })

  test('is removed with its secret', async () => {
    const account = await openAccount(gateway)
    const { secret } = await put(account, { url: URL_OF_HOOK })
    const deleted = await gateway.operator<object>('DELETE', `/accounts/${account}/webhook`)
    expect(deleted).toEqual({ id: account, deleted: true })
    const missing = await refusalOf('GET', `/accounts/${account}/webhook`)
    expect([missing.status, missing.code]).toEqual([404, 'not_found'])
    expect((await refusalOf('DELETE', `/accounts/${account}/webhook`)).status).toBe(404)
    expect((await put(account, { url: URL_OF_HOOK })).secret).not.toBe(secret)
  })

  test('leaves its secret and its query in no audit event and no file', async () => {
    const account = await openAccount(gateway)
    const { secret } = await put(account, { url: URL_OF_HOOK })
    const { data } = await gateway.operator<{ data: { subject: string; action: string }[] }>(
      'GET',
      '/audit?limit=200',
    )
    const events = data.filter(({ subject, action }) => subject === account && action === 'webhook.created')
    expect(events).toHaveLength(1)
    expect(JSON.stringify(data)).not.toContain('t0k3n')
    expect(JSON.stringify(data)).not.toContain('whsec_')
    for (const name of readdirSync(gateway.dataFolder, { recursive: true, encoding: 'utf8' })) {
      if (!name.includes('turnpike.db')) continue
      expect(readFileSync(join(gateway.dataFolder, name)).includes(secret ?? '-')).toBe(false)
    }
  })

  test.each([
    [{}, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 'hooks.example.com' }, 'url'],
    [{ url: 'ftp://hooks.example.com/' }, 'url'],
    [{ url: 'https://user:pass@hooks.example.com/' }, 'url'],
    [{ url: 'http://127.0.0.1:9000/' }, 'url'],
    [{ url: 'http://0x7f.1/' }, 'url'],
    [{ url: 'http://localhost:9000/' }, 'url'],
    [{ url: 'http://[::1]/' }, 'url'],
    [{ url: 'http://169.254.169.254/latest' }, 'url'],
    [{ url: URL_OF_HOOK, enabled: 'yes' }, 'enabled'],
    [{ url: URL_OF_HOOK, secret: 'mine' }, 'secret'],
  ])('%j is refused for its %s, and nothing is kept', async (fields, param) => {
    const account = await openAccount(gateway)
    expect(await refusalOf('PUT', `/accounts/${account}/webhook`, fields)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      param,
    })
    expect(await gateway.storage.findWebhook(account)).toBeNull()
  })

  test.each(['GET', 'PUT', 'DELETE'])('%s for an unknown account is not found', async (method) => {
    const body = method === 'PUT' ? { url: URL_OF_HOOK } : undefined
    expect((await refusalOf(method, '/accounts/nobody/webhook', body)).status).toBe(404)
  })
})

describe('a balance alert', () => {
  test('can be set, shown and removed', async () => {
    const account = await openAccount(gateway)
    const change = (balance_alert: string | null) =>
      gateway.operator<{ balance_alert: string | null }>('PATCH', `/accounts/${account}`, { balance_alert })
    expect((await change('12.5')).balance_alert).toBe('12.5')
    expect((await change('-3')).balance_alert).toBe('-3')
    expect((await change(null)).balance_alert).toBeNull()
  })

  test.each(['abc', '1e3', '1000000001', 5])('%j is refused', async (balance_alert) => {
    const account = await openAccount(gateway)
    const refusal = await refusalOf('PATCH', `/accounts/${account}`, { balance_alert })
    expect([refusal.status, refusal.param]).toEqual([400, 'balance_alert'])
  })
})

test('the list of alerts refuses unknown parameters', async () => {
  expect((await refusalOf('GET', '/alerts?account=x')).status).toBe(400)
  expect((await refusalOf('GET', '/alerts?cursor=nonsense')).param).toBe('cursor')
  expect(await gateway.operator<object>('GET', '/alerts?account_id=nobody')).toEqual({
    data: [],
    next_cursor: null,
  })
})
