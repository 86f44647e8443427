import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { ALL_ACCOUNTS } from '../../../../rules/ledger/aggregate.ts'
import type { UsageDimensions, UsageFilter } from '../../../../vocabulary/settlement.ts'

/** What a question names, by which the totals are chosen that answer it. */
export interface Named {
  readonly filter: UsageFilter
  readonly groupBy: readonly (keyof UsageDimensions)[]
}

/** Where keys are many, totals by key have nearly a row for each request. */
export function isByKey({ filter, groupBy }: Named): boolean {
  return filter.keyId !== undefined || groupBy.includes('keyId')
}

/** The smallest totals that tell apart what the question names. */
export function totalsFor<Row>(named: Named): RawBuilder<Row> {
  return isByKey(named) ? sql<Row>`usage_totals` : sql<Row>`account_usage`
}

/** Which rows of totals without keys are meant: those of all accounts together, or those of each. */
export function accountConditions({ filter, groupBy }: Named): RawBuilder<SqlBool>[] {
  if (filter.accountId !== undefined) return []
  const comparison = sql.raw(groupBy.includes('accountId') ? '<>' : '=')
  return [sql<SqlBool>`account_id ${comparison} ${ALL_ACCOUNTS}`]
}
