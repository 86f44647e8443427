import type { Format, ModelKind, SupplierTypeName } from '../../src/vocabulary/supply.ts'

/** How the tests that all families share use one of them. */
export interface FamilyDriver {
  readonly name: string
  readonly kind: ModelKind
  /** A model of the sandbox that serves it. */
  readonly model: string
  /** Of the models that are tested, where the defaults do not do. */
  readonly capabilities?: Readonly<Record<string, unknown>>
  /** The formats in which it can be served, by the type of supplier that speaks them at the sandbox's address. */
  readonly suppliers: readonly FamilySupplier[]
  /** A request that is answered; `fields`, such as another model, are added to the body. The caller adds the key. */
  request(fields?: Readonly<Record<string, unknown>>): FamilyRequest
  /** Throws unless this is a right answer to the request. */
  check(response: Response): Promise<void>
  /** A parameter that one kind of supplier cannot take, and what the gateway calls it; null when there is none. */
  readonly dropped: DroppedParameter | null
}

export interface FamilySupplier {
  readonly type: SupplierTypeName
  readonly format: Format
  /** Under the address of the sandbox. */
  readonly path: string
  /** As the type wants it; a sandbox accepts what begins with `sk-sandbox`, which is also what it gets when absent. */
  readonly secret?: string
  readonly options?: Readonly<Record<string, string>>
}

export interface FamilyRequest {
  readonly path: string
  readonly body: string | FormData
}

export interface DroppedParameter {
  readonly fields: Readonly<Record<string, unknown>>
  readonly names: readonly string[]
  readonly supplier: FamilySupplier
}
