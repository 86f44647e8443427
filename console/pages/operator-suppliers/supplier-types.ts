import type { SupplierType } from '../../../src/suppliers/supplier-type.ts'

type TypeFacts = Required<Pick<SupplierType, 'label' | 'exampleUrl' | 'formats' | 'options'>>

// The build puts in what the supplier types of the gateway say of themselves.
declare const BUILT_IN_SUPPLIER_TYPES: Readonly<Record<string, TypeFacts>>

/** The kinds of suppliers the gateway can call, with what each of them speaks. */
export const SUPPLIER_TYPES = BUILT_IN_SUPPLIER_TYPES

export function typeLabel(type: string): string {
  return SUPPLIER_TYPES[type]?.label ?? type
}
