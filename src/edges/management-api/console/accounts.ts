import { accountAlertEndpoints } from './account/alerts.ts'
import { accountEventEndpoints } from './account/events.ts'
import { accountExploreEndpoints } from './account/explore.ts'
import { accountHistoryEndpoints } from './account/history.ts'
import { accountKeyEndpoints } from './account/keys.ts'
import { accountMemberEndpoints } from './account/members.ts'
import { accountOverviewEndpoints } from './account/overview.ts'
import { accountRefusalEndpoints } from './account/refusals.ts'
import { accountSettingEndpoints } from './account/settings.ts'
import { accountSupplierEndpoints } from './account/suppliers.ts'

/** Everything about one account. */
export const accountEndpoints = [
  ...accountOverviewEndpoints,
  ...accountSettingEndpoints,
  ...accountExploreEndpoints,
  ...accountKeyEndpoints,
  ...accountHistoryEndpoints,
  ...accountRefusalEndpoints,
  ...accountAlertEndpoints,
  ...accountSupplierEndpoints,
  ...accountMemberEndpoints,
  ...accountEventEndpoints,
]
