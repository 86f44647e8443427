import {
  AccountRename,
  AccountView,
  BalanceAlert,
  BalanceAlertDraft,
} from '../../../../vocabulary/account.ts'
import { one } from '../../endpoint.ts'
import { ACCOUNT_PATH, consoleDefiner, MAX_FORM_BYTES } from '../console-endpoint.ts'
import { type AccountApiParts, concealed, concealFor } from './parts.ts'

const define = consoleDefiner<AccountApiParts>()
const common = { maxBodyBytes: MAX_FORM_BYTES } as const

/** What members change of the account itself. */
export const accountSettingEndpoints = [
  define({
    ...common,
    tag: 'Console: account',
    access: 'manage-account',
    method: 'PATCH',
    path: ACCOUNT_PATH,
    id: 'consoleRenameAccount',
    summary: 'Rename the account',
    body: AccountRename,
    answer: concealed(one(AccountView)),
    handle: async (parts, { body, visit, actor }) =>
      concealFor(parts, visit, await parts.operations.changeAccount(visit.accountId, body, actor)),
  }),
  define({
    ...common,
    tag: 'Console: alerts',
    access: 'manage-alerts',
    method: 'PUT',
    path: `${ACCOUNT_PATH}/balance-alert`,
    id: 'consoleSetBalanceAlert',
    summary: 'Set the balance at which members are warned',
    body: BalanceAlertDraft,
    answer: one(BalanceAlert),
    handle: ({ operations }, { body, visit, actor }) =>
      operations.changeAccount(visit.accountId, body, actor),
  }),
]
