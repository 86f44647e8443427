import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readAudit } from '../console-api/support/people.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const clock = createMovableClock()

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock, environment: { TURNPIKE_TRUSTED_PROXIES: '127.0.0.1' } })
})
afterAll(() => gateway.stop())

const PATHS = ['/operator/v1/accounts', '/metrics']

async function ask(path: string, token: string, from: string): Promise<Response> {
  const response = await fetch(`${gateway.url}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': from },
  })
  await response.arrayBuffer()
  return response
}

test('a flood of wrong tokens is throttled, the right one works, and the audit has one line per address', async () => {
  const statuses: number[] = []
  for (let number = 0; number < 100; number += 1) {
    const path = PATHS[number % 2] ?? ''
    const { status, headers } = await ask(path, `wrong-${number}`, '198.51.100.1')
    statuses.push(status)
    if (status === 429) expect(headers.get('retry-after')).toBe('1')
  }
  expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(90).fill(429)])
  for (const path of PATHS) {
    expect((await ask(path, OPERATOR_TOKEN, '198.51.100.1')).status).toBe(200)
    expect((await ask(path, 'wrong', '198.51.100.2')).status).toBe(401)
  }
  const refused = await eventually('the audit', async () => {
    const lines = (await readAudit(gateway)).filter(({ action }) => action === 'operator.token_refused')
    return lines.length >= 2 && lines
  })
  expect(refused).toHaveLength(2)
  expect(refused.map(({ after }) => after).toReversed()).toEqual([
    { address: '198.51.100.1', attempts: 1 },
    { address: '198.51.100.2', attempts: 1 },
  ])
  expect(JSON.stringify(refused)).not.toContain('wrong-')
})

test('addresses come from a trusted proxy, not from the client', async () => {
  clock.advance(60 * 60 * 1_000)
  const statuses: number[] = []
  for (let number = 0; number < 12; number += 1) {
    statuses.push((await ask('/metrics', 'wrong', `10.0.0.${number}, 203.0.113.5`)).status)
  }
  expect(statuses.slice(10)).toEqual([429, 429])
})

test('requests without a token are not counted', async () => {
  const statuses = new Set<number>()
  for (let number = 0; number < 20; number += 1) {
    const response = await fetch(`${gateway.url}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.7' } })
    statuses.add(response.status)
    await response.arrayBuffer()
  }
  expect([...statuses]).toEqual([401])
})
