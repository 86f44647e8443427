import type { Query } from '../../api/client.ts'
import { boundsOf } from './time-filter.ts'

/** What the address holds. `customer` is for operators: `account` in the address is the viewer's own. */
export const NO_FILTERS = {
  view: '',
  q: '',
  customer: '',
  key: '',
  model: '',
  supplier: '',
  outcome: '',
  code: '',
  stream: '',
  session: '',
  agent: '',
  errors: '',
  sort: '',
  span: 'all',
  from: '',
  to: '',
}
export type RequestFilters = typeof NO_FILTERS
export type FilterName = keyof RequestFilters

export interface FiltersProps {
  readonly filters: RequestFilters
  readonly onChange: (change: Partial<RequestFilters>) => void
}

export const VIEWS = [
  { value: '', label: 'Requests' },
  { value: 'refused', label: 'Refused' },
  { value: 'sessions', label: 'Sessions' },
] as const

/** What each view can be filtered by; changing the view keeps what both have. */
export const FILTERS_OF = {
  '': ['q', 'key', 'model', 'outcome', 'supplier', 'code', 'stream', 'session', 'agent'],
  refused: ['q', 'key', 'model', 'code'],
  sessions: ['session', 'key', 'errors'],
} as const satisfies Record<string, readonly FilterName[]>
export type View = keyof typeof FILTERS_OF

const TIME: readonly FilterName[] = ['span', 'from', 'to']

export function viewOf({ view }: RequestFilters): View {
  return VIEWS.find(({ value }) => value === view)?.value ?? ''
}

export function changeView(filters: RequestFilters, view: View): RequestFilters {
  const kept = [...FILTERS_OF[view], ...TIME, 'customer'] as FilterName[]
  const values = kept.map((name) => [name, filters[name]])
  return { ...NO_FILTERS, ...Object.fromEntries(values), view }
}

/** The filters of this view that are set; a pause of the live list is none. */
export function setFilters(filters: RequestFilters): FilterName[] {
  const names: FilterName[] = [...FILTERS_OF[viewOf(filters)], 'customer', 'span']
  return names.filter((name) => filters[name] !== NO_FILTERS[name])
}

const ID_START = 'req_'

/** One field takes both: ids begin so, and nothing else that people look for does. */
export function isId(q: string): boolean {
  return q.startsWith(ID_START)
}

/** Whether stored bodies are searched, which only the time can narrow. */
export function isTextSearch(filters: RequestFilters): boolean {
  return viewOf(filters) === '' && filters.q !== '' && !isId(filters.q)
}

/** The query of a list of requests, refusals or sessions. */
export function queryOf(filters: RequestFilters, nowMs: number): Query {
  const { q, key, ...rest } = filters
  const { from, to } = boundsOf(filters, nowMs)
  const wanted = FILTERS_OF[viewOf(filters)].filter((name) => name !== 'q' && name !== 'key')
  const values = Object.fromEntries(wanted.map((name) => [name, rest[name as keyof typeof rest]]))
  const common = { ...values, key_id: key, from, to }
  switch (viewOf(filters)) {
    case '':
      return { ...common, id: isId(q) ? q : '' }
    case 'refused':
      return { ...common, id: q }
    case 'sessions':
      return { ...common, sort: filters.sort }
  }
}
