import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { UsageQuestion } from '../../../../manage/ports/ledger.ts'
import { FIGURE_NAMES, SPAN_MS } from '../../../../rules/ledger/aggregate.ts'
import type { Database } from '../../engines/database.ts'
import { allOf, given, queryOn } from '../../query.ts'
import { settlementConditions } from './search/settlement-conditions.ts'
import { LONGEST_REQUEST_MS } from './search/settlements-by-hour.ts'
import { countText, FIGURE_COLUMNS, placeTexts, type UsageRow } from './usage-rows.ts'

/** What usage is added up from: `usage_totals`, or what is counted here. */
export type SourceRow = UsageRow & {
  readonly span: string
  readonly session: string
  readonly agent: string
}

/** Bounds the time that one question takes. */
const MAX_REQUESTS = 50_000

export function isBySession({ filter, groupBy }: UsageQuestion): boolean {
  const isFiltered = filter.session !== undefined || filter.agent !== undefined
  return isFiltered || groupBy.includes('session') || groupBy.includes('agent')
}

/** Usage with sessions and agents, counted from the settlements whose details were not deleted. */
export async function sessionUsage(
  database: Database,
  { span, filter }: UsageQuestion,
): Promise<RawBuilder<SourceRow>> {
  const { supplier: _, fromMs, toMs, ...wanted } = filter
  const { accountId, keyId, session, agent } = wanted
  if ((accountId ?? keyId ?? session ?? agent) === undefined) {
    throw tooMany('Sessions and agents are counted for an account_id, a key_id, a session or an agent only.')
  }
  const [startText, ...placeText] = placeTexts(span)
  const start = sql.raw(startText)
  const conditions = allOf([
    ...settlementConditions({
      ...wanted,
      // A request counts when it ends.
      ...(fromMs !== undefined && { fromMs: fromMs - LONGEST_REQUEST_MS }),
      ...(toMs !== undefined && { toMs: toMs + SPAN_MS[span] }),
    }),
    ...given([
      [start, '>=', fromMs],
      [start, '<', toMs],
    ]),
  ])
  await refuseTooMany(database, conditions)
  const groups = [...placeText, "coalesce(session, '')", "coalesce(agent, '')"]
  const names = ['account_id', 'key_id', 'model', 'supplier', 'session', 'agent']
  const columns = [
    `'${span}' as span`,
    `${startText} as start_ms`,
    ...groups.map((text, index) => `${text} as ${names[index]}`),
    ...FIGURE_NAMES.map((figure) => `${countText(figure)} as ${FIGURE_COLUMNS[figure]}`),
  ]
  return sql`(select ${sql.raw(columns.join(', '))} from settlements where ${conditions}
    group by ${sql.raw([startText, ...groups].join(', '))})`
}

async function refuseTooMany(database: Database, conditions: RawBuilder<SqlBool>): Promise<void> {
  const matching = queryOn(database)
    .selectFrom('settlements')
    .select('request_id')
    .where(conditions)
    .limit(BigInt(MAX_REQUESTS + 1))
  const { count } = await queryOn(database)
    .selectFrom(matching.as('matching'))
    .select((row) => row.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) <= MAX_REQUESTS) return
  throw tooMany(
    `More than ${MAX_REQUESTS} requests match. Narrow from and to, or filter by session and agent.`,
  )
}

function tooMany(message: string): GatewayError {
  return new GatewayError('invalid_request', message, { param: 'session' })
}
