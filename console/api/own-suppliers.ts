import { accountPath, api } from './client.ts'
import { type List, useList } from './use-list.ts'

export type SupplierType = 'openai' | 'anthropic' | 'google' | 'openai-compatible'

export interface OwnCredential {
  readonly id: string
  readonly label: string | null
  readonly last_four: string | null
  readonly state: 'active' | 'disabled'
}

/** A supplier that only this account's requests go to, under its own credentials. */
export interface OwnSupplier {
  readonly id: string
  readonly type: string
  readonly base_url: string
  readonly formats: readonly string[]
  readonly enabled: boolean
  readonly credentials: readonly OwnCredential[]
}

export interface OwnSupplierSettings {
  readonly type: SupplierType
  readonly base_url: string
  readonly formats: readonly string[]
  readonly enabled: boolean
}

export function useOwnSuppliers(account: string): List<OwnSupplier> {
  return useList<OwnSupplier>([account, 'own-suppliers'], accountPath(account, '/own-suppliers'))
}

export function ownSupplierCalls(account: string) {
  const pathOf = (id: string) => accountPath(account, `/own-suppliers/${encodeURIComponent(id)}`)
  return {
    save: (id: string, settings: OwnSupplierSettings) => api.put<OwnSupplier>(pathOf(id), settings),
    addCredential: (id: string, credential: { secret: string; label?: string }) =>
      api.post<OwnCredential>(`${pathOf(id)}/credentials`, credential),
    remove: (id: string) => api.delete<unknown>(pathOf(id)),
    removeCredential: (id: string) =>
      api.delete<unknown>(accountPath(account, `/own-credentials/${encodeURIComponent(id)}`)),
  }
}
