import { accountPath, api } from './client.ts'
import { type List, useList } from './use-list.ts'
import type {
  Credential,
  OwnCredential,
  OwnSupplier,
  OwnSupplierPut,
  OwnSupplierTest,
  Supplier,
} from './wire.ts'

export function useOwnSuppliers(account: string): List<OwnSupplier> {
  return useList<OwnSupplier>([account, 'own-suppliers'], accountPath(account, '/own-suppliers'))
}

export function ownSupplierCalls(account: string) {
  const pathOf = (id: string) => accountPath(account, `/own-suppliers/${encodeURIComponent(id)}`)
  return {
    save: (id: string, settings: OwnSupplierPut) => api.put<Supplier>(pathOf(id), settings),
    addCredential: (id: string, credential: OwnCredential) =>
      api.post<Credential>(`${pathOf(id)}/credentials`, credential),
    test: (id: string) => api.post<OwnSupplierTest>(`${pathOf(id)}/test`),
    remove: (id: string) => api.delete<unknown>(pathOf(id)),
    removeCredential: (id: string) =>
      api.delete<unknown>(accountPath(account, `/own-credentials/${encodeURIComponent(id)}`)),
  }
}
