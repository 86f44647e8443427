import type { Diagnostics } from '../../gateway/ports/diagnostics.ts'
import type { Endpoint } from '../../gateway/ports/exchange.ts'
import type { Operations } from '../../gateway/ports/operations.ts'
import type { ApplySupplyText } from '../../gateway/ports/supply-application.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { accountEndpoints } from './accounts.ts'
import { doctorEndpoints } from './doctor.ts'
import { guardEndpoint, type OperatorCheck } from './guard.ts'
import { historyEndpoints } from './history.ts'
import { keyEndpoints } from './keys.ts'
import { modelEndpoints } from './models.ts'
import { paymentEndpoints } from './payments.ts'
import { supplierEndpoints } from './suppliers.ts'
import { supplyFileEndpoints } from './supply-file.ts'
import { tierEndpoints } from './tiers.ts'

export { type OperatorCheck, operatorCheck } from './guard.ts'
export { paymentWebhookEndpoint } from './payment-webhook.ts'

export interface OperatorApiOptions {
  readonly isOperator: OperatorCheck
  readonly clock: Clock
  readonly applySupplyText: ApplySupplyText
  readonly diagnostics: Diagnostics
}

/** The operator API. Every endpoint passes through the guard here, so none can be added without it. */
export function operatorEndpoints(operations: Operations, options: OperatorApiOptions): Endpoint[] {
  const endpoints = [
    ...accountEndpoints(operations),
    ...paymentEndpoints(operations),
    ...tierEndpoints(operations),
    ...keyEndpoints(operations, options.clock),
    ...supplierEndpoints(operations),
    ...modelEndpoints(operations),
    ...supplyFileEndpoints(options.applySupplyText),
    ...doctorEndpoints(options.diagnostics),
    ...historyEndpoints(operations),
  ]
  return endpoints.map((endpoint) => guardEndpoint(endpoint, options.isOperator))
}
