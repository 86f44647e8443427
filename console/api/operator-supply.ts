import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'
import { OPERATOR, readWhole, SUPPLIERS_KEY } from './operator-lists.ts'
import type { Credential, Finding, ModelComparison, Route, Supplier } from './operator-shapes.ts'

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
  return queryOptions({
    queryKey: [...SUPPLIERS_KEY, id],
    queryFn: ({ signal }) => api.get<Supplier>(supplierCall(id), { signal }),
  })
}

export function credentialsQuery(supplier: string) {
  return queryOptions({
    queryKey: [...SUPPLIERS_KEY, supplier, 'credentials'],
    queryFn: ({ signal }) => readWhole<Credential>(supplierCall(supplier, '/credentials'), { signal }),
  })
}

/** Asks the supplier itself, so only when somebody wants to know. */
export function comparisonQuery(supplier: string) {
  return queryOptions({
    queryKey: [...SUPPLIERS_KEY, supplier, 'models'],
    queryFn: ({ signal }) => api.get<ModelComparison>(supplierCall(supplier, '/models'), { signal }),
    staleTime: 60_000,
    retry: false,
  })
}

/** Calls every supplier once with each active credential, which they charge for. */
export async function askSuppliers(): Promise<readonly Finding[]> {
  return (await api.post<{ data: Finding[] }>(`${OPERATOR}/doctor`)).data
}

/** A supplier as `PUT` takes it: everything but its id. */
export function supplierBody({ id: _, ...body }: Supplier): Omit<Supplier, 'id'> {
  return body
}
