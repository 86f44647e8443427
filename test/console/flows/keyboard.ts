import type { Stage } from '../support/stage.ts'
import { describeBillingByKeyboard } from './keyboard/billing.ts'
import { describeCustomerByKeyboard } from './keyboard/customer.ts'
import { describeEntryByKeyboard } from './keyboard/entry.ts'
import { describeExploreByKeyboard } from './keyboard/explore.ts'
import { describeKeysByKeyboard } from './keyboard/keys.ts'
import { describeOperatorByKeyboard } from './keyboard/operator.ts'
import { describePlaygroundChatByKeyboard } from './keyboard/playground-chat.ts'
import { describePlaygroundTasksByKeyboard } from './keyboard/playground-tasks.ts'
import { describeSupplyByKeyboard } from './keyboard/supply.ts'
import { describeWatchingByKeyboard } from './keyboard/watching.ts'

/** Every flow without a mouse. */
export function describeKeyboard(stage: Stage): void {
  describeEntryByKeyboard(stage)
  describeKeysByKeyboard(stage)
  describeExploreByKeyboard(stage)
  describeCustomerByKeyboard(stage)
  describePlaygroundChatByKeyboard(stage)
  describePlaygroundTasksByKeyboard(stage)
  describeBillingByKeyboard(stage)
  describeOperatorByKeyboard(stage)
  describeSupplyByKeyboard(stage)
  describeWatchingByKeyboard(stage)
}
