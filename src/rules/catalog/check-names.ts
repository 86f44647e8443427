import type { Alias } from '../../vocabulary/records/alias.ts'
import type { Wildcard } from '../../vocabulary/records/wildcard.ts'
import type { Snapshot, Supply } from '../../vocabulary/runtime/snapshot.ts'
import { findPriceProblem } from './check-price.ts'
import { matchWildcards } from './names.ts'

/** What is wrong with a record, and in which field. */
export interface NameProblem {
  readonly param: string
  readonly message: string
}

/** What names are checked against, by id. */
export interface KnownNames extends Pick<Snapshot, 'accounts' | 'wildcards'> {
  readonly models: Pick<Supply['models'], 'has'>
}

/** Why an alias cannot be stored beside the others; null when it can. */
export function findAliasProblem(
  { id, name, models, accountId }: Alias,
  others: readonly Alias[],
  { accounts, models: known, wildcards }: KnownNames,
): NameProblem | null {
  if (accountId !== null && !accounts.has(accountId))
    return { param: 'account_id', message: `There is no account "${accountId}".` }
  const isWild = (model: string) =>
    wildcards !== null &&
    matchWildcards(wildcards, model).length > 0 &&
    !others.some((other) => other.name === model)
  const isKnown = (model: string) => known.has(model) || isWild(model)
  const unknown = models.findIndex((model) => !isKnown(model))
  if (unknown >= 0) {
    const message = `There is no model "${models[unknown]}", and no wildcard for it. An alias cannot lead to an alias.`
    return { param: `models[${unknown}]`, message }
  }
  const other = others.find((each) => each.id !== id && each.name === name && each.accountId === accountId)
  if (other === undefined) return null
  return { param: 'name', message: `The alias "${name}" is "${other.id}"; change that one.` }
}

/** Why a wildcard cannot be stored beside the others; null when it can. */
export function findWildcardProblem(
  { id, pattern, supplierId, price }: Wildcard,
  others: readonly Wildcard[],
  suppliers: Pick<Supply['suppliers'], 'has'>,
): NameProblem | null {
  if (!suppliers.has(supplierId))
    return { param: 'supplier', message: `There is no supplier "${supplierId}".` }
  const other = others.find(
    (each) => each.id !== id && each.pattern === pattern && each.supplierId === supplierId,
  )
  if (other !== undefined) {
    const message = `The wildcard "${pattern}" to "${supplierId}" is "${other.id}"; change that one.`
    return { param: 'pattern', message }
  }
  const problem = price === null ? null : findPriceProblem(price)
  return problem === null
    ? null
    : { param: `price.${problem.param}`, message: `price.${problem.param} ${problem.problem}` }
}
