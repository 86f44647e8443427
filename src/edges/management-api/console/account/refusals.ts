import {
  Refusal,
  RefusalCountFilter,
  RefusalFilter,
  RefusalTotal,
} from '../../../../vocabulary/observability/refusal.ts'
import { listOf } from '../../endpoint.ts'
import { ACCOUNT_PATH, consoleDefiner } from '../console-endpoint.ts'
import type { AccountApiParts } from './parts.ts'

const define = consoleDefiner<AccountApiParts>()
const common = { tag: 'Console: history', access: 'see-account', method: 'GET' } as const

// The path names the account.
const OWN = RefusalFilter.without('OwnRefusalFilter', ['accountId']).fields
const OWN_COUNTS = RefusalCountFilter.without('OwnRefusalCountFilter', ['accountId']).fields

/** The refused requests of an account. */
export const accountRefusalEndpoints = [
  define({
    ...common,
    path: `${ACCOUNT_PATH}/refusals`,
    id: 'consoleListRefusals',
    summary: 'List the refused requests of an account, newest first',
    query: OWN,
    answer: listOf(Refusal),
    handle: ({ account, operations }, { query, page, visit: { accountId } }) => {
      if (query.keyId !== undefined) account.ownKeyId(accountId, query.keyId)
      return operations.listRefusals({ ...query, accountId }, page)
    },
  }),
  define({
    ...common,
    path: `${ACCOUNT_PATH}/refusals/counts`,
    id: 'consoleCountRefusals',
    summary: 'Count the refused requests of an account by period and code',
    query: OWN_COUNTS,
    answer: listOf(RefusalTotal),
    handle: (
      { account, operations },
      { query: { span = 'hour', ...filter }, page, visit: { accountId } },
    ) => {
      if (filter.keyId !== undefined) account.ownKeyId(accountId, filter.keyId)
      return operations.totalRefusals({ filter: { ...filter, accountId }, span }, page)
    },
  }),
]
