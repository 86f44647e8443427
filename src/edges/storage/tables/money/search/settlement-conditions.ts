import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { failuresOf } from '../../../../../rules/ledger/error-code.ts'
import type { SettlementListFilter } from '../../../../../vocabulary/settlement.ts'
import { given } from '../../../query.ts'

export type Conditions = readonly RawBuilder<SqlBool>[]

/** The conditions that an index helps with. */
export function settlementConditions(filter: SettlementListFilter): Conditions {
  const { accountId, keyId, model, session, agent, outcome, fromMs, toMs } = filter
  const wanted = given<'settlements'>([
    ['account_id', '=', accountId],
    ['session', '=', session],
    ['outcome', '=', outcome],
    ['started_at_ms', '>=', fromMs],
    ['started_at_ms', '<', toMs],
  ])
  const ofKeyAndModel = given<'settlements'>([
    ['key_id', '=', keyId],
    ['model', '=', model],
  ])
  const ofAgent = given<'settlements'>([['agent', '=', agent]])
  if (session !== undefined) return [...wanted, ...plain([...ofAgent, ...ofKeyAndModel])]
  if (agent !== undefined) return [...wanted, ...ofAgent, ...plain(ofKeyAndModel)]
  if (accountId === undefined || outcome === undefined || outcome === 'completed') {
    return [...wanted, ...ofKeyAndModel]
  }
  // Of what went wrong there is little: its index, which has to be asked for in so many words, holds keys and models.
  return [...wanted, sql<SqlBool>`outcome <> 'completed'`, ...plain(ofKeyAndModel)]
}

/** Conditions that SQLite chooses no index by, as they contain "or". PostgreSQL takes them for the same without it. */
export function plain(conditions: Conditions): Conditions {
  return conditions.map((condition) => sql<SqlBool>`(${condition} or 1 = 0)`)
}

/** The conditions that no index helps with. For `code` they hold for more than is wanted. */
export function restConditions({ supplier, stream, code }: SettlementListFilter): Conditions {
  const rest = given<'settlements'>([
    ['supplier', '=', supplier],
    ['stream', '=', stream === undefined ? undefined : Number(stream)],
  ])
  if (code === undefined) return rest
  const failures = failuresOf(code).map((kind) => sql<SqlBool>`attempts like ${`%"failure":"${kind}%`}`)
  const hasFailed = sql<SqlBool>`outcome not in ('completed', 'client_left')`
  return [
    ...rest,
    hasFailed,
    sql<SqlBool>`(1 = 0 or ${sql.join(failures.length === 0 ? [sql`1 = 0`] : failures, sql` or `)})`,
  ]
}
