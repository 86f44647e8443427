import { expect, test } from 'bun:test'
import type { Operations } from '../../../manage/ports/operations.ts'
import type { Exchange } from '../../../serve/ports/exchange.ts'
import { type OperatorApiOptions, operatorEndpoints } from './index.ts'

test('only the system status is available while a node cannot read the changes of others', async () => {
  const endpoints = operatorEndpoints(
    {} as Operations,
    {
      isOperator: () => true,
      catchUp: () => Promise.reject(new Error('cannot be read')),
      describeSystem: () => Promise.reject(new Error('was asked')),
    } as unknown as OperatorApiOptions,
  )
  const exchange = { headers: new Headers(), query: new URLSearchParams() } as unknown as Exchange
  const problems = new Map<string, string>()
  for (const { method, path, handle } of endpoints) {
    const problem: unknown = await Promise.resolve(handle(exchange)).catch((error) => error)
    problems.set(`${method} ${path}`, problem instanceof Error ? problem.message : 'none')
  }
  expect(problems.size).toBeGreaterThan(40)
  const others = [...problems].filter(([, problem]) => problem !== 'cannot be read')
  expect(others).toEqual([['GET /operator/v1/system', 'was asked']])
})
