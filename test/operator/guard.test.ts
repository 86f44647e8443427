import { afterAll, beforeAll, expect, test } from 'bun:test'
import { guardEndpoint } from '../../src/edges/management-api/operator/guard.ts'
import { operatorEndpoints } from '../../src/edges/management-api/operator/index.ts'
import { createTextApplication } from '../../src/edges/supply-file/apply-text.ts'
import type { Exchange } from '../../src/serve/ports/exchange.ts'
import { ALL_RECORDS } from '../../src/vocabulary/records/index.ts'
import { checkOperator, type GatewayUnderTest, OPERATOR_TOKEN, startGateway } from './gateway-under-test.ts'

let gateway: GatewayUnderTest
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

test('every endpoint refuses everyone but operators', async () => {
  const applySupplyText = createTextApplication(gateway.operations)
  const { clock, diagnostics } = gateway
  const options = { isOperator: checkOperator, clock, applySupplyText, diagnostics }
  const endpoints = operatorEndpoints(gateway.operations, options)
  expect(endpoints.length).toBe(73 + 4 * ALL_RECORDS.length)
  for (const { method, path } of endpoints) {
    const call = `${method} ${path.replace('/operator/v1', '').replace('*', 'x')}`
    const without = await gateway.ask(call, undefined, {})
    expect([call, without.status, without.body.error.code]).toEqual([call, 401, 'auth_required'])
    const wrong = await gateway.ask(call, undefined, { authorization: 'Bearer wrong' })
    expect([call, wrong.status, wrong.body.error.code]).toEqual([call, 401, 'auth_invalid'])
  }
})

test('catches up with the other nodes before answering an operator, and for no other caller', async () => {
  const order: string[] = []
  const endpoint = guardEndpoint(
    { method: 'GET', path: '/x', handle: () => Response.json(order.push('answered')) },
    { isOperator: checkOperator, catchUp: async () => void order.push('caught up') },
  )
  const ask = (authorization: string) =>
    endpoint.handle({ headers: new Headers({ authorization }) } as unknown as Exchange)
  await expect(ask('Bearer wrong')).rejects.toThrow('not valid')
  expect(order).toEqual([])
  await ask(`Bearer ${OPERATOR_TOKEN}`)
  expect(order).toEqual(['caught up', 'answered'])
})

test.each([
  [`Bearer ${OPERATOR_TOKEN}`, true],
  [`bearer  ${OPERATOR_TOKEN}`, true],
  [`Bearer ${OPERATOR_TOKEN}x`, false],
  [`Bearer ${OPERATOR_TOKEN.slice(0, -1)}`, false],
  [OPERATOR_TOKEN, false],
  ['Bearer ', false],
  [`Basic ${OPERATOR_TOKEN}`, false],
])('authorization %j is an operator: %p', (authorization, expected) => {
  expect(checkOperator(new Headers({ authorization }))).toBe(expected)
})
