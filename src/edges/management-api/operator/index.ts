import type { DescribeSystem, ShowDashboard } from '../../../manage/ports/console.ts'
import type { Diagnostics } from '../../../manage/ports/diagnostics.ts'
import type { UserOperations } from '../../../manage/ports/identity.ts'
import type { Operations } from '../../../manage/ports/operations.ts'
import type { ModelImport } from '../../../manage/ports/prices.ts'
import type { Profiling } from '../../../manage/ports/profiling.ts'
import type { ApplySupplyText } from '../../../manage/ports/supply-application.ts'
import type { Endpoint } from '../../../serve/ports/exchange.ts'
import type { Clock } from '../../../vocabulary/clock.ts'
import { ALL_RECORDS } from '../../../vocabulary/records/index.ts'
import { type AnyDefinition, bind, bindRest } from '../endpoint.ts'
import { accountEndpoints } from './accounts.ts'
import { OPERATOR_PATH } from './address.ts'
import { alertEndpoints } from './alerts.ts'
import { profileEndpoints } from './debug/profiles.ts'
import { doctorEndpoints } from './doctor.ts'
import { guardEndpoint, type OperatorGuard } from './guard.ts'
import { keyEndpoints } from './keys.ts'
import { catalogEndpoints, modelEndpoints } from './models.ts'
import { alertChannelEndpoints } from './observability/alert-channels.ts'
import { sinkEndpoints } from './observability/sinks.ts'
import { paymentEndpoints } from './payments/payments.ts'
import { modelImportEndpoints, priceEndpoints } from './prices.ts'
import { recordEndpoints } from './records.ts'
import { exploreEndpoints } from './reports/explore.ts'
import { exportEndpoints } from './reports/exports.ts'
import { historyEndpoints, usageEndpoints } from './reports/history.ts'
import { refusalEndpoints } from './reports/refusals.ts'
import { supplierEndpoints } from './suppliers.ts'
import { supplyFileEndpoint } from './supply-file.ts'
import { dashboardEndpoint, systemEndpoint } from './system.ts'
import { tierEndpoints } from './tiers.ts'
import { userEndpoints } from './users.ts'

export { type NoteWrongToken, type OperatorCheck, operatorCheck, refuseOperator } from './guard.ts'
export { paymentWebhookEndpoint } from './payments/payment-webhook.ts'

const SETTINGS_ENDPOINTS = [
  ...accountEndpoints,
  ...tierEndpoints,
  ...keyEndpoints,
  ...paymentEndpoints,
  ...alertEndpoints,
  ...alertChannelEndpoints,
  ...sinkEndpoints,
  ...supplierEndpoints,
  ...catalogEndpoints,
  ...priceEndpoints,
]
const RECORD_ENDPOINTS = ALL_RECORDS.flatMap((kind) => Object.values(recordEndpoints(kind)))
const HISTORY_ENDPOINTS = [
  ...historyEndpoints,
  ...usageEndpoints,
  ...exploreEndpoints,
  ...exportEndpoints,
  ...refusalEndpoints,
]

/** The requests and answers of the operator API, for its clients. */
export const OPERATOR_DEFINITIONS = [
  ...SETTINGS_ENDPOINTS,
  ...modelEndpoints,
  supplyFileEndpoint,
  ...doctorEndpoints,
  ...modelImportEndpoints,
  ...HISTORY_ENDPOINTS,
  ...userEndpoints,
  systemEndpoint,
  dashboardEndpoint,
]

export interface OperatorApiOptions extends OperatorGuard {
  readonly clock: Clock
  readonly applySupplyText: ApplySupplyText
  readonly diagnostics: Diagnostics
  /** Absent where no supplier can be called. */
  readonly modelImport?: ModelImport
  /** Absent when there is no console. */
  readonly users?: UserOperations
  /** Absent in tests without a complete gateway. */
  readonly describeSystem?: DescribeSystem
  /** Absent in tests without a complete gateway. */
  readonly showDashboard?: ShowDashboard
  /** Absent in tests without a complete gateway. */
  readonly profiling?: Profiling
}

/** The operator API. All endpoints are guarded here, so none can be added without the guard. */
export function operatorEndpoints(operations: Operations, options: OperatorApiOptions): Endpoint[] {
  const endpoints = [
    ...bindAll(SETTINGS_ENDPOINTS, operations),
    ...bindRest(modelEndpoints, operations, OPERATOR_PATH),
    bind(supplyFileEndpoint, options.applySupplyText, OPERATOR_PATH),
    ...bindAll(doctorEndpoints, options.diagnostics),
    ...(options.modelImport ? bindAll(modelImportEndpoints, options.modelImport) : []),
    ...bindAll(HISTORY_ENDPOINTS, operations),
    ...bindAll(RECORD_ENDPOINTS, operations),
    ...(options.users ? bindAll(userEndpoints, options.users) : []),
    ...(options.showDashboard ? bindAll([dashboardEndpoint], options.showDashboard) : []),
  ]
  return [
    ...endpoints.map((endpoint) => guardEndpoint(endpoint, options)),
    ...guardedSystem(options),
    ...guardedProfiles(options),
  ]
}

function bindAll<Context>(definitions: readonly AnyDefinition<Context>[], context: Context): Endpoint[] {
  return definitions.map((definition) => bind(definition, context, OPERATOR_PATH))
}

/** Outside of the operator API: they describe this process, not the gateway. */
function guardedProfiles({ profiling, catchUp: _, ...guard }: OperatorApiOptions): Endpoint[] {
  if (profiling === undefined) return []
  return profileEndpoints.map((definition) => guardEndpoint(bind(definition, profiling, ''), guard))
}

/** Available even while the database cannot be read: that is when operators need it. */
function guardedSystem({ describeSystem, catchUp: _, ...guard }: OperatorApiOptions): Endpoint[] {
  if (describeSystem === undefined) return []
  return [guardEndpoint(bind(systemEndpoint, describeSystem, OPERATOR_PATH), guard)]
}
