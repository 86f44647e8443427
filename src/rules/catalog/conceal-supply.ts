/**
 * What was described for operators, as everybody else may read it: without the ids of credentials, and of what a
 * supplier complained about only what an own supplier said. Complaints name organisations, projects and limits of
 * whoever has the account at the supplier.
 */
export function concealSupply<T>(described: T, isOwn: (supplierId: string) => boolean): T {
  return conceal(described, isOwn) as T
}

function conceal(value: unknown, isOwn: (supplierId: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => conceal(item, isOwn))
  if (typeof value !== 'object' || value === null) return value
  const record = value as Readonly<Record<string, unknown>>
  const told: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(record)) {
    if (name === 'credential_id') continue
    told[name] = isComplaint(name, record, isOwn) ? null : conceal(member, isOwn)
  }
  return told
}

function isComplaint(
  name: string,
  { supplier }: Readonly<Record<string, unknown>>,
  isOwn: (supplierId: string) => boolean,
): boolean {
  return name === 'failure' && typeof supplier === 'string' && !isOwn(supplier)
}
