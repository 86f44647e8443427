import { choice, text } from '../field.ts'

/** What a list may be narrowed and ordered by. The sorts are names of fields; with a minus, the largest first. */
export function listQuery<const Name extends string>(sorts: readonly Name[]) {
  const both: readonly (Name | `-${Name}`)[] = sorts.flatMap((name) => [name, `-${name}`] as const)
  return {
    search: text(200).note('Only items with each of these words in a name or an id; capitals do not matter.'),
    ids: text(20_000)
      .note('Only items with these ids, separated by commas; other ids are passed over.')
      .example('key_0123456789abcdef'),
    sort: choice(both).note('What the list is ordered by; with a minus, in descending order.'),
  }
}

/** The parts of a query that every list has. */
export interface ListQuery<Sort extends string = string> {
  readonly search?: string
  readonly ids?: string
  readonly sort?: Sort
}
