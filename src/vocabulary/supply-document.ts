import type { Credential, Model, Route, Supplier } from './supply.ts'

/** What somebody wants the supply to be. Applying it a second time changes nothing. */
export interface SupplyDocument {
  readonly suppliers: readonly WantedSupplier[]
  readonly models: readonly WantedModel[]
}

export interface WantedSupplier extends Supplier {
  readonly credentials: readonly WantedCredential[]
}

/** Its label tells it from the other credentials of its supplier. */
export type WantedCredential = Omit<Credential, 'id' | 'supplierId' | 'label'> & { readonly label: string }

export interface WantedModel extends Omit<Model, 'createdAtMs'> {
  readonly routes: readonly Omit<Route, 'modelId'>[]
}
