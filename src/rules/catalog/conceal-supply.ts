/**
 * What was described for operators, as everybody else may read it: without the ids of credentials, and of what a
 * supplier complained about only what an own supplier said. Complaints name organisations, projects and limits of
 * whoever has the account at the supplier.
 */
export function conceal<Json>(described: Json, isOwn: ConcealedFrom): Json {
  return concealValue(described, isOwn) as Json
}

type Concealable<Json> =
  | 'credential_id'
  | ('assigned_by' extends keyof Json ? 'assigned_by' | 'reason' : never)

/** What was described for operators, of which some may be missing. */
export type ShownToMembers<Json> = Json extends readonly (infer Item)[]
  ? readonly ShownToMembers<Item>[]
  : Json extends object
    ? { readonly [Name in Exclude<keyof Json, Concealable<Json>>]: ShownToMembers<Json[Name]> } & {
        readonly [Name in Extract<keyof Json, Concealable<Json>>]?: Json[Name]
      }
    : Json

/** Whether whoever it is concealed from may know everything about a supplier. */
export type ConcealedFrom = (supplierId: string) => boolean

/** Why an operator decided on a tier, and which one did, is the operators' own business. */
export function isForOperators(name: string, isTierAssignment: boolean): boolean {
  return name === 'credential_id' || (isTierAssignment && (name === 'reason' || name === 'assigned_by'))
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
