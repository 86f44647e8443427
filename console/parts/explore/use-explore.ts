import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { EXPLORE_GROUPS, EXPLORE_METRICS, EXPLORE_SPANS } from '../../../src/vocabulary/words.ts'
import { api } from '../../api/client.ts'
import type { Explored } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { rangeOf } from '../charts/range-picker.tsx'
import { canGroup, type Group, type Metric, type Per } from './explore-words.ts'

export interface FilterPicker {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Whose data is explored: an account's, or all for operators. */
export interface ExploreScope {
  readonly queryKey: readonly [string, 'explore'] | readonly ['operator', 'explore']
  readonly path: string
  readonly isOfOperators: boolean
  readonly maySave: boolean
  /** The name of a key or an account. */
  nameOf(group: Group, id: string): string
  /** Chooses a value of a filter by its name; null for a filter that is typed. */
  pickerOf(name: FilterName, props: FilterPicker): ReactNode
  /** What a filter that is typed suggests. */
  suggestionsOf?(name: FilterName): readonly string[]
}

/** All values are text: they are the address. `of` is the account, because the shell has `account`. */
export const DEFAULTS = {
  metric: 'spend',
  by: 'none',
  per: '',
  span: '30d',
  show: 'bars',
  compare: '',
  of: '',
  key: '',
  model: '',
  supplier: '',
  session: '',
  agent: '',
}
export type ExploreState = typeof DEFAULTS
export type FilterName = 'of' | 'key' | 'model' | 'supplier' | 'session' | 'agent'

const PERS_OF_SPAN: Readonly<Record<string, readonly Per[]>> = {
  '24h': ['hour', 'day'],
  '7d': ['hour', 'day'],
  '30d': ['hour', 'day', 'week'],
  '90d': ['day', 'week', 'month'],
  '365d': ['day', 'week', 'month'],
}

function oneOf<Word extends string>(words: readonly Word[], text: string, usual: Word): Word {
  return words.find((word) => word === text) ?? usual
}

/** What the address asks for; what it cannot ask for is replaced. */
export function readState(state: ExploreState, isOfOperators: boolean) {
  const wanted = oneOf<Metric>(EXPLORE_METRICS, state.metric, 'spend')
  const metric = !isOfOperators && (wanted === 'cost' || wanted === 'margin') ? 'spend' : wanted
  const grouping = oneOf<Group>(EXPLORE_GROUPS, state.by, 'none')
  const isFit = canGroup(metric, grouping) && (isOfOperators || grouping !== 'account')
  const pers = PERS_OF_SPAN[state.span] ?? ['day']
  const range = rangeOf(state.span)
  const per = pers.find((each) => each === state.per) ?? range.granularity
  return {
    metric,
    group: isFit ? grouping : ('none' as const),
    per: oneOf<Per>(EXPLORE_SPANS, per, 'day'),
    pers,
    range,
    show: oneOf(['lines', 'bars', 'table'] as const, state.show, 'bars'),
    isCompared: state.compare === 'yes',
  }
}

export function useExplore(scope: ExploreScope) {
  const [state, setState] = useUrlState(DEFAULTS)
  const view = readState(state, scope.isOfOperators)
  const query = {
    metric: view.metric,
    group_by: view.group,
    granularity: view.per,
    from: view.range.from,
    to: view.range.to,
    compare: view.isCompared ? 'true' : '',
    ...(scope.isOfOperators && { account_id: state.of }),
    key_id: state.key,
    model: state.model,
    supplier: state.supplier,
    session: state.session,
    agent: state.agent,
  }
  const answer = useQuery({
    queryKey: [...scope.queryKey, query],
    queryFn: ({ signal }) => api.get<Explored>(scope.path, { query, signal }),
    placeholderData: keepPreviousData,
  })
  return { state, setState, view, answer }
}

export type ExploreView = ReturnType<typeof readState>
