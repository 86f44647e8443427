import { type QueryKey, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import { api, getQuery, readPages } from './client.ts'
import { type NameOf, useNames } from './use-list.ts'
import type {
  CatalogModel,
  Credential,
  Finding,
  ModelComparison,
  ModelOffer,
  Route,
  Supplier,
  Tier,
} from './wire.ts'

const LARGEST_PAGE = 200

export const OPERATOR = '/operator/v1'

/** `accountCall(id, '/ledger')` → `/operator/v1/accounts/<id>/ledger`. */
export function accountCall(id: string, rest = ''): string {
  return `${OPERATOR}/accounts/${encodeURIComponent(id)}${rest}`
}

export type Whole<T> = Pick<ShownList<T>, 'data'>

/** Every page of a list, for short lists that the gateway holds in memory. */
export function wholeQuery<T>(key: QueryKey, path: string) {
  return queryOptions({
    queryKey: key,
    queryFn: async ({ signal }) => ({
      data: await readPages<T>(path, { query: { limit: LARGEST_PAGE }, signal }),
    }),
  })
}

export const ACCOUNTS_KEY = ['operator', 'accounts'] as const
export const SUPPLIERS_KEY = ['operator', 'suppliers'] as const
export const MODELS_KEY = ['operator', 'models'] as const
export const ROUTES_KEY = ['operator', 'routes'] as const
export const PRICES_KEY = ['operator', 'prices'] as const

export const allSuppliersQuery = wholeQuery<Supplier>([...SUPPLIERS_KEY, 'whole'], `${OPERATOR}/suppliers`)
export const allModelsQuery = wholeQuery<CatalogModel>([...MODELS_KEY, 'whole'], `${OPERATOR}/models`)
export const allRoutesQuery = wholeQuery<Route>(ROUTES_KEY, `${OPERATOR}/routes`)

const tiersQuery = wholeQuery<Tier>(['operator', 'tiers', 'whole'], `${OPERATOR}/tiers`)

/** The names of the tiers that accounts can have, with those given until they are known. */
export function useTierNames(...given: readonly string[]): string[] {
  const { data } = useQuery(tiersQuery)
  const known = data?.data.filter(({ enabled }) => enabled).map(({ name }) => name) ?? []
  return [...new Set([...known, ...given])]
}

const HEALTH_EVERY_MS = 5_000

/** Routes with the health of their credentials, refreshed while they are on screen. */
export function useLiveRoutes(): UseQueryResult<Whole<Route>> {
  return useQuery({ ...allRoutesQuery, refetchInterval: HEALTH_EVERY_MS })
}

/** The name of an account; its id if there is none. */
export function useAccountNames(): NameOf {
  return useNames(ACCOUNTS_KEY, `${OPERATOR}/accounts`)
}

export const KEYS = `${OPERATOR}/keys`

/** The name of any key; its id if there is none. */
export function useAnyKeyNames(): NameOf {
  return useNames(['operator', 'keys'], KEYS)
}

export const USERS = `${OPERATOR}/users`
export const USERS_KEY = ['operator', 'users'] as const

export function userCall(id: string, rest = ''): string {
  return `${USERS}/${encodeURIComponent(id)}${rest}`
}

export function supplierCall(id: string, rest = ''): string {
  return `${OPERATOR}/suppliers/${encodeURIComponent(id)}${rest}`
}

export function credentialCall(id: string): string {
  return `${OPERATOR}/credentials/${encodeURIComponent(id)}`
}

export function modelCall(id: string): string {
  return `${OPERATOR}/models/${encodeURIComponent(id)}`
}

export function routeCall({ model, supplier }: Pick<Route, 'model' | 'supplier'>): string {
  return `${modelCall(model)}/routes/${encodeURIComponent(supplier)}`
}

export function supplierQuery(id: string) {
  return getQuery<Supplier>([...SUPPLIERS_KEY, id], supplierCall(id))
}

export function credentialsQuery(supplier: string) {
  return wholeQuery<Credential>(
    [...SUPPLIERS_KEY, supplier, 'credentials'],
    supplierCall(supplier, '/credentials'),
  )
}

/** Calls the supplier, so only on request. */
export function comparisonQuery(supplier: string) {
  const key = [...SUPPLIERS_KEY, supplier, 'models']
  const query = getQuery<ModelComparison>(key, supplierCall(supplier, '/models'))
  return { ...query, staleTime: 60_000, retry: false }
}

/** What the supplier lists, with prices of the catalog. Calls the supplier. */
export function offersQuery(supplier: string) {
  const key = [...SUPPLIERS_KEY, supplier, 'offers']
  const query = getQuery<Whole<ModelOffer>>(key, supplierCall(supplier, '/offers'))
  return { ...query, staleTime: 60_000, retry: false }
}

/** Calls every supplier once with each active credential. Suppliers charge for this. */
export async function askSuppliers(): Promise<readonly Finding[]> {
  return (await api.post<Whole<Finding>>(`${OPERATOR}/doctor`)).data
}

/** A supplier as sent to `PUT`: everything except its id. */
export function supplierBody({ id: _, ...body }: Supplier): Omit<Supplier, 'id'> {
  return body
}
