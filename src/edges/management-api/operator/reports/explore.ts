import type { Operations } from '../../../../manage/ports/operations.ts'
import {
  ExploreAnswer,
  ExploreQuery,
  SavedView,
  SavedViewPut,
} from '../../../../vocabulary/observability/explore.ts'
import { DELETED, definer, one, wholeListOf } from '../../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'History', access: 'operator' } as const

/** Operators share their views, which belong to no account. */
const OPERATORS = ''

export const EXPLORE_NOTE =
  'Reads hourly and daily totals. Percentiles come from counts in buckets, so they are exact to about a third; they, `tokens_per_second` and `saved` are counted by account, model and supplier only. Sessions and agents are counted from settlements, up to 50,000 of them. `code` groups failures by outcome and status of the supplier, and requests that were refused before admission by their error code, which are kept for 14 days.'

export const exploreEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/explore',
    id: 'explore',
    summary: 'Show a metric over time, by group',
    description: `${EXPLORE_NOTE} Sessions and agents need an account, a key, a session or an agent to filter by.`,
    query: ExploreQuery.fields,
    answer: one(ExploreAnswer, 'The values of each period.'),
    handle: (operations, { query }) => operations.explore(query),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/explore/views',
    id: 'listViews',
    summary: 'List the saved views of operators',
    answer: wholeListOf(SavedView),
    handle: (operations) => operations.listViews(OPERATORS),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/explore/views',
    id: 'saveView',
    summary: 'Save a view for operators',
    description: 'It replaces the view of the same name.',
    body: SavedViewPut,
    answer: one(SavedView),
    handle: (operations, { body, actor }) => operations.saveView({ ...body, accountId: OPERATORS }, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: '/explore/views/:id',
    id: 'deleteView',
    summary: 'Delete a saved view of operators',
    answer: DELETED,
    handle: async (operations, { params }) => {
      await operations.deleteView(OPERATORS, params.id)
      return params.id
    },
  }),
]
