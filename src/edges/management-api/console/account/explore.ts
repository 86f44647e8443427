import {
  AccountExploreQuery,
  ExploreAnswer,
  SavedView,
  SavedViewPut,
} from '../../../../vocabulary/observability/explore.ts'
import { DELETED, one, wholeListOf } from '../../endpoint.ts'
import { EXPLORE_NOTE } from '../../operator/reports/explore.ts'
import { ACCOUNT_PATH, consoleDefiner } from '../console-endpoint.ts'
import type { AccountApiParts } from './parts.ts'

const define = consoleDefiner<AccountApiParts>()
const common = { tag: 'Console: account', access: 'see-account' } as const
const VIEWS = `${ACCOUNT_PATH}/explore/views` as const

/** A metric of an account over time, and the views that its members saved. */
export const accountExploreEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: `${ACCOUNT_PATH}/explore`,
    id: 'consoleExplore',
    summary: 'Show a metric of an account over time, by group',
    description: EXPLORE_NOTE,
    query: AccountExploreQuery.fields,
    answer: one(ExploreAnswer, 'The values of each period.'),
    handle: ({ account, operations }, { query, visit: { accountId } }) => {
      if (query.keyId !== undefined) account.ownKeyId(accountId, query.keyId)
      return operations.explore({ ...query, accountId })
    },
  }),
  define({
    ...common,
    method: 'GET',
    path: VIEWS,
    id: 'consoleListViews',
    summary: 'List the saved views of an account',
    answer: wholeListOf(SavedView),
    handle: ({ operations }, { visit }) => operations.listViews(visit.accountId),
  }),
  define({
    ...common,
    access: 'save-views',
    method: 'POST',
    path: VIEWS,
    id: 'consoleSaveView',
    summary: 'Save a view for all members of an account',
    description: 'It replaces the view of the same name.',
    body: SavedViewPut,
    answer: one(SavedView),
    handle: ({ operations }, { body, visit: { accountId, actor } }) =>
      operations.saveView({ ...body, accountId }, actor),
  }),
  define({
    ...common,
    access: 'save-views',
    method: 'DELETE',
    path: `${VIEWS}/:id`,
    id: 'consoleDeleteView',
    summary: 'Delete a saved view of an account',
    answer: DELETED,
    handle: async ({ operations }, { params, visit }) => {
      await operations.deleteView(visit.accountId, params.id)
      return params.id
    },
  }),
]
