/**
 * Removes what only operators may see: credential ids, what suppliers charge, and error messages of shared suppliers.
 * These messages name organisations, projects and limits of the platform's account at the supplier.
 */
export function conceal<Json>(described: Json, isOwn: ConcealedFrom): Json {
  return concealValue(described, isOwn) as Json
}

const FOR_OPERATORS = ['credential_id', 'cost', 'cost_rates', 'margin'] as const

type Concealable<Json> =
  | (typeof FOR_OPERATORS)[number]
  | ('assigned_by' extends keyof Json ? 'assigned_by' | 'reason' : never)

/** A description for operators; fields may be missing. */
export type ShownToMembers<Json> = Json extends readonly (infer Item)[]
  ? readonly ShownToMembers<Item>[]
  : Json extends object
    ? { readonly [Name in keyof Json as Exclude<Name, Concealable<Json>>]: ShownToMembers<Json[Name]> } & {
        readonly [Name in Extract<keyof Json, Concealable<Json>>]?: Json[Name]
      }
    : Json

/** Whether the reader may see everything about a supplier. */
export type ConcealedFrom = (supplierId: string) => boolean

/** The reason and author of a tier assignment are visible to operators only. */
export function isForOperators(name: string, isTierAssignment: boolean): boolean {
  return (
    FOR_OPERATORS.some((one) => one === name) ||
    (isTierAssignment && (name === 'reason' || name === 'assigned_by'))
  )
}

function concealValue(value: unknown, isOwn: ConcealedFrom): unknown {
  if (Array.isArray(value)) return value.map((item) => concealValue(item, isOwn))
  if (typeof value !== 'object' || value === null) return value
  const record = value as Readonly<Record<string, unknown>>
  const isTierAssignment = 'assigned_by' in record
  const told: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(record)) {
    if (isForOperators(name, isTierAssignment)) continue
    told[name] = isComplaint(name, record, isOwn) ? null : concealValue(member, isOwn)
  }
  return told
}

function isComplaint(
  name: string,
  { supplier }: Readonly<Record<string, unknown>>,
  isOwn: ConcealedFrom,
): boolean {
  return name === 'failure' && typeof supplier === 'string' && !isOwn(supplier)
}
