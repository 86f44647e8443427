import { afterAll, beforeAll, expect, test } from 'bun:test'
import { operatorEndpoints } from '../../src/edges/operator-api/index.ts'
import { createTextApplication } from '../../src/edges/supply-file/apply-text.ts'
import { checkOperator, type GatewayUnderTest, OPERATOR_TOKEN, startGateway } from './gateway-under-test.ts'

let gateway: GatewayUnderTest
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

test('every endpoint is closed to everybody but operators', async () => {
  const applySupplyText = createTextApplication(gateway.operations)
  const { clock, diagnostics } = gateway
  const options = { isOperator: checkOperator, clock, applySupplyText, diagnostics }
  const endpoints = operatorEndpoints(gateway.operations, options)
  expect(endpoints.length).toBe(44)
  for (const { method, path } of endpoints) {
    const call = `${method} ${path.replace('/operator/v1', '').replace('*', 'x')}`
    const without = await gateway.ask(call, undefined, {})
    expect([call, without.status, without.body.error.code]).toEqual([call, 401, 'auth_required'])
    const wrong = await gateway.ask(call, undefined, { authorization: 'Bearer wrong' })
    expect([call, wrong.status, wrong.body.error.code]).toEqual([call, 401, 'auth_invalid'])
  }
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
