import { afterAll, beforeAll, expect, test } from 'bun:test'
import { addHousehold, askModel, type Household } from '../console-api/support/account-stage.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let acme: Household
beforeAll(async () => {
  gateway = await startTestGateway()
  acme = await addHousehold(gateway, 'Acme')
})
afterAll(() => gateway.stop())

interface Shown {
  readonly totals: {
    readonly requests: number
    readonly errors: number
    readonly refused: number
    amount: string
  }
  readonly points: readonly { readonly requests: number; readonly errors: number }[]
  readonly refusals: readonly unknown[]
  readonly accounts: readonly Record<string, unknown>[]
  readonly suppliers: readonly Record<string, unknown>[]
  readonly capacity: Record<string, unknown>
  readonly alerts: readonly Record<string, unknown>[]
  readonly findings: readonly unknown[]
}

test('an empty gateway has a dashboard of zeros', async () => {
  const shown = await gateway.operator<Shown>('GET', '/dashboard?range=week')
  expect(shown).toMatchObject({ totals: { requests: 0, errors: 0, refused: 0, amount: '0' }, accounts: [] })
  expect(shown.points).toHaveLength(7)
})

test('shows requests with the refused ones, accounts, suppliers, capacity and alerts', async () => {
  await askModel(gateway, acme)
  await askModel(gateway, acme, { model: 'no-such-model' })
  await gateway.operator('PATCH', `/accounts/${acme.accountId}`, { balance_alert: '1000' })
  await askModel(gateway, acme)
  const { label } = await gateway.operator<{ label: string }>(
    'POST',
    '/suppliers/sandbox-openai/credentials',
    {
      secret: 'sk-sandbox-second',
      label: 'second',
      rpm: 60,
    },
  )
  const shown = await gateway.operator<Shown>('GET', '/dashboard')
  expect(shown.totals).toMatchObject({ requests: 3, errors: 1, refused: 1 })
  expect(shown.points).toHaveLength(24)
  expect(shown.points.reduce((sum, { requests }) => sum + requests, 0)).toBe(3)
  expect(shown.refusals).toEqual([{ code: 'model_not_found', count: 1 }])
  expect(shown.accounts).toMatchObject([{ account_id: acme.accountId, name: 'Acme', requests: 2, errors: 0 }])
  const openai = shown.suppliers.find(({ id }) => id === 'sandbox-openai')
  expect(openai).toMatchObject({
    enabled: true,
    credentials: 2,
    open: 0,
    cooling_until: null,
    success_rate: 1,
  })
  expect(shown.suppliers.reduce((sum, { requests }) => sum + Number(requests), 0)).toBe(2)
  expect(shown.capacity).toMatchObject({
    database: { reachable: true },
    nodes: [{ is_this: true }],
    limits: [{ supplier: 'sandbox-openai', label, rpm: 60, remaining_requests: 60 }],
  })
  expect(shown.capacity).not.toHaveProperty('settings')
  expect(shown.alerts).toMatchObject([{ kind: 'balance.low', status: 'raised' }])
  expect(shown.alerts[0]?.title).toStartWith('The balance of account Acme is low')
  expect(shown.findings).toEqual([])
})

test('alerts can be asked for by status and kind', async () => {
  const list = async (query: string) =>
    (await gateway.operator<{ data: unknown[] }>('GET', `/alerts?${query}`)).data
  expect(await list('open=true')).toHaveLength(1)
  expect(await list('open=false')).toEqual([])
  expect(await list('kind=balance.low')).toHaveLength(1)
  expect(await list('kind=node.lost')).toEqual([])
})
