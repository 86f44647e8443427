/** Values that no format expects, each wrong in its own way. */
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 60,
  '',
  'x',
  '{"a":',
  [],
  [null],
  [[]],
  {},
  { type: 'text' },
  { type: 'unheard-of', index: -3 },
  { constructor: null, toString: 1 },
]

/** A copy of a JSON value with a few of its members replaced, removed or doubled, as the numbers decide. */
export function mutate(value: unknown, numbers: readonly number[]): unknown {
  const copy = { root: structuredClone(value) }
  for (const number of numbers) mutateOnce(copy, number)
  return copy.root
}

function mutateOnce(copy: { root: unknown }, number: number): void {
  const places = listPlaces(copy)
  const place = places[number % places.length]
  if (place === undefined) return
  const { holder, name } = place
  const isKept = holder === copy
  const choice = Math.floor(number / places.length)
  if (choice % 7 === 0 && !isKept) removeMember(holder, name)
  else if (choice % 7 === 1 && Array.isArray(holder)) holder.push(structuredClone(holder[Number(name)]))
  else holder[name] = structuredClone(ODD_VALUES[choice % ODD_VALUES.length])
}

interface Place {
  readonly holder: Record<string, unknown>
  readonly name: string
}

function listPlaces(holder: unknown): Place[] {
  if (typeof holder !== 'object' || holder === null) return []
  const record = holder as Record<string, unknown>
  return Object.keys(record).flatMap((name) => [{ holder: record, name }, ...listPlaces(record[name])])
}

function removeMember(holder: Record<string, unknown>, name: string): void {
  if (Array.isArray(holder)) holder.splice(Number(name), 1)
  else delete holder[name]
}
