import {
  findAliasProblem,
  findWildcardProblem,
  type NameProblem,
} from '../../../rules/catalog/check-names.ts'
import { indexWildcards, listAliases, listWildcards } from '../../../rules/catalog/names.ts'
import { Aliases } from '../../../vocabulary/records/alias.ts'
import type { RecordFields, RecordKind, RecordSettings } from '../../../vocabulary/records/record.ts'
import { Wildcards } from '../../../vocabulary/records/wildcard.ts'
import type { ValueIn } from '../../../vocabulary/shape.ts'
import type { SupplyChange } from '../../../vocabulary/supply.ts'
import { readSupplyPath } from '../../ports/supply-application.ts'
import {
  differingFields,
  makeStep,
  type Planning,
  refuseDuplicates,
  type SupplyStep,
} from './supply-steps.ts'

/** The steps for a document's wildcards and aliases. */
export function planNames(planning: Planning): SupplyStep[] {
  const { document, suppliers, supply, parts } = planning
  const { wildcards, aliases, accounts } = parts.configuration.current()
  const patterns = combine(listWildcards(wildcards), document.wildcards ?? [])
  const names = combine(listAliases(aliases), document.aliases ?? [])
  const known = {
    accounts,
    models: new Set([...supply.models.keys(), ...document.models.map(({ id }) => id)]),
    wildcards: indexWildcards(patterns.after),
  }
  return [
    ...planRecords(planning, Wildcards, {
      ...patterns,
      find: (wildcard) => findWildcardProblem(wildcard, patterns.after, suppliers),
    }),
    ...planRecords(planning, Aliases, {
      ...names,
      find: (alias) => findAliasProblem(alias, names.after, known),
    }),
  ]
}

interface RecordPlan<T> {
  readonly before: ReadonlyMap<string, T>
  readonly wanted: readonly T[]
  /** All that there will be. */
  readonly after: readonly T[]
  find(value: T): NameProblem | null
}

function combine<T extends { readonly id: string }>(stored: readonly T[], wanted: readonly T[]) {
  const before = new Map(stored.map((each) => [each.id, each]))
  const after = [...new Map([...stored, ...wanted].map((each) => [each.id, each])).values()]
  return { before, wanted, after }
}

function planRecords<F extends RecordFields>(
  planning: Planning,
  kind: RecordKind<string, F>,
  { before, wanted, find }: RecordPlan<ValueIn<F> & { readonly id: string }>,
): SupplyStep[] {
  const path = (index: number) => [kind.table, index]
  refuseDuplicates(
    planning,
    wanted.map(({ id }) => id),
    (index) => [...path(index), 'id'],
  )
  return wanted.map((value, index) => {
    const problem = find(value)
    if (problem !== null) {
      const { param, message } = problem
      planning.problems.push({ path: [...path(index), ...readSupplyPath(param)], message })
    }
    const { id } = value
    const known = before.get(id)
    const fields = known === undefined ? [] : differingFields(kind.shape.show(known), kind.shape.show(value))
    const isNew = known === undefined
    return makeStep({ kind: kind.subject as SupplyChange['kind'], id, isNew, fields }, (writer, actor) =>
      writer.records(kind).put(id, withoutId(value), actor),
    )
  })
}

// TypeScript cannot see that what is left are the settings.
function withoutId<F extends RecordFields>({ id: _, ...settings }: ValueIn<F> & { readonly id: string }) {
  return settings as unknown as RecordSettings<F>
}
