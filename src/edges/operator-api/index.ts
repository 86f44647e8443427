import type { Endpoint } from '../../gateway/ports/exchange.ts'
import type { Operations } from '../../gateway/ports/operations.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { accountEndpoints } from './accounts.ts'
import { guardEndpoint, type OperatorCheck } from './guard.ts'
import { historyEndpoints } from './history.ts'
import { keyEndpoints } from './keys.ts'
import { modelEndpoints } from './models.ts'
import { supplierEndpoints } from './suppliers.ts'

export { type OperatorCheck, operatorCheck } from './guard.ts'

export interface OperatorApiOptions {
  readonly isOperator: OperatorCheck
  readonly clock: Clock
}

/** The operator API. Every endpoint passes through the guard here, so none can be added without it. */
export function operatorEndpoints(operations: Operations, options: OperatorApiOptions): Endpoint[] {
  const endpoints = [
    ...accountEndpoints(operations),
    ...keyEndpoints(operations, options.clock),
    ...supplierEndpoints(operations),
    ...modelEndpoints(operations),
    ...historyEndpoints(operations),
  ]
  return endpoints.map((endpoint) => guardEndpoint(endpoint, options.isOperator))
}
