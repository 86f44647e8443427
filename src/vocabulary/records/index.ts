import type { Row } from '../shape.ts'
import { Aliases } from './alias.ts'
import { MarkUps } from './mark-up.ts'
import { PaymentMethods } from './payment-method.ts'
import type { AnyRecord } from './record.ts'
import { Tiers } from './tier.ts'
import { Wildcards } from './wildcard.ts'

/** Every plain record. Its table, endpoints and commands follow from this list. */
export const RECORDS = [PaymentMethods, MarkUps, Aliases, Wildcards, Tiers] as const

/** The same list for code that treats all records alike. */
export const ALL_RECORDS: readonly AnyRecord[] = RECORDS

export type RecordTables = {
  [Kind in (typeof RECORDS)[number] as Kind['table']]: Row<Kind['shape']>
}
