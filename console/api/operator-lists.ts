import { type QueryKey, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { api, type Query } from './client.ts'
import type { OperatorAccount, OperatorModel, Route, Supplier } from './operator-shapes.ts'
import type { Page } from './use-list.ts'

const LARGEST_PAGE = 200

export const OPERATOR = '/operator/v1'

/** `/operator/v1/accounts/<id>/ledger` of `accountCall(id, '/ledger')`. */
export function accountCall(id: string, rest = ''): string {
  return `${OPERATOR}/accounts/${encodeURIComponent(id)}${rest}`
}

export interface Whole<T> {
  readonly data: readonly T[]
}

interface Question {
  readonly query?: Query
  readonly signal?: AbortSignal
}

/** Every page of a list, for what the gateway itself holds in memory and a person searches by eye. */
export async function readWhole<T>(path: string, { query = {}, signal }: Question = {}): Promise<Whole<T>> {
  const data: T[] = []
  let cursor: string | null = null
  do {
    const page: Page<T> = await api.get<Page<T>>(path, {
      query: { ...query, limit: LARGEST_PAGE, cursor },
      signal,
    })
    data.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  return { data }
}

function wholeQuery<T>(key: QueryKey, path: string) {
  return queryOptions({
    queryKey: key,
    queryFn: ({ signal }) => readWhole<T>(path, { signal }),
  })
}

export const ACCOUNTS_KEY = ['operator', 'accounts'] as const
export const SUPPLIERS_KEY = ['operator', 'suppliers'] as const
export const MODELS_KEY = ['operator', 'models'] as const
export const ROUTES_KEY = ['operator', 'routes'] as const

export const allAccountsQuery = wholeQuery<OperatorAccount>(
  [...ACCOUNTS_KEY, 'whole'],
  `${OPERATOR}/accounts`,
)
export const allSuppliersQuery = wholeQuery<Supplier>([...SUPPLIERS_KEY, 'whole'], `${OPERATOR}/suppliers`)
export const allModelsQuery = wholeQuery<OperatorModel>([...MODELS_KEY, 'whole'], `${OPERATOR}/models`)
export const allRoutesQuery = wholeQuery<Route>(ROUTES_KEY, `${OPERATOR}/routes`)

const HEALTH_EVERY_MS = 5_000

/** Routes with how their credentials are doing, asked for again and again while they are looked at. */
export function useLiveRoutes(): UseQueryResult<Whole<Route>> {
  return useQuery({ ...allRoutesQuery, refetchInterval: HEALTH_EVERY_MS })
}

/** The name of an account, or its id as long as the name is not known. */
export function useAccountNames(): (id: string) => string {
  const { data } = useQuery(allAccountsQuery)
  const names = new Map(data?.data.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}
