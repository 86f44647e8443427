import { accountAlertEndpoints } from './account-alerts.ts'
import { accountEventEndpoints } from './account-events.ts'
import { accountHistoryEndpoints } from './account-history.ts'
import { accountKeyEndpoints } from './account-keys.ts'
import { accountMemberEndpoints } from './account-members.ts'
import { accountOverviewEndpoints } from './account-overview.ts'
import type { AccountApiParts } from './account-parts.ts'
import { accountSupplierEndpoints } from './account-suppliers.ts'
import { bindConsole, type ConsoleEndpoint } from './console-endpoint.ts'

/** Everything about one account. */
export function accountEndpoints(parts: AccountApiParts): ConsoleEndpoint[] {
  return [
    ...accountOverviewEndpoints(parts),
    ...accountKeyEndpoints(parts),
    ...accountHistoryEndpoints(parts),
    ...accountAlertEndpoints(parts),
    ...accountSupplierEndpoints(parts),
    ...bindConsole(accountMemberEndpoints, parts),
    ...accountEventEndpoints(parts),
  ]
}
