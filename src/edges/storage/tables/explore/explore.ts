import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { FigurePoint, FigureQuestion, GroupChoice } from '../../../../manage/ports/explore/explore.ts'
import { SPAN_MS } from '../../../../rules/ledger/aggregate.ts'
import { StoredView } from '../../../../vocabulary/observability/explore.ts'
import type { UsageDimensions } from '../../../../vocabulary/settlement.ts'
import { columnName } from '../../../../vocabulary/shape.ts'
import type { Database } from '../../engines/database.ts'
import { allOf, analysisOn, given, queryOn } from '../../query.ts'
import type { StoreMethods } from '../../store.ts'
import { tableOf } from '../../table.ts'
import { plain } from '../money/search/settlement-conditions.ts'
import { isBySession, sessionUsage } from '../money/session-usage.ts'
import { FIGURE_COLUMNS } from '../money/usage-rows.ts'
import { REQUESTS, rankKeys } from '../usage/key-spends.ts'
import { accountConditions, isByKey } from '../usage/usage-source.ts'
import { flushMeasures } from './measures.ts'

const VIEWS = tableOf('saved_views', StoredView, { key: ['id'], order: ['name'] })

const GROUP_COLUMNS: Readonly<Record<GroupChoice['by'], string>> = {
  account: 'account_id',
  key: 'key_id',
  model: 'model',
  supplier: 'supplier',
  session: 'session',
  agent: 'agent',
  code: 'code',
}

/** More than any answer needs: the periods of the longest range times the most series. */
const MAX_ROWS = 20_000n

export const exploreStore = {
  rankGroups: async ({ database }, question, ...[by, atMost]) => {
    const keys = by === 'key' && question.source === 'usage' && (await rankKeys(database, question, atMost))
    if (keys) return keys
    const { source, conditions } = await sourceOf(database, question, by)
    const group = sql.ref<string>(GROUP_COLUMNS[by])
    const weight = sql.join(
      question.figures.map((name) => sql`sum(${sql.ref(columnOf(question, name))})`),
      sql` + `,
    )
    // What costs nothing is told apart by how much it was used.
    const busiest = question.source === 'usage' ? sql`sum(${sql.raw(REQUESTS)}) desc, ` : sql``
    // Says nothing new, but SQLite then reads account by account, and need not sort what it has found by time.
    const ofEach = by === 'account' ? sql` and account_id in (select id from accounts)` : sql``
    const ranking = sql<{ name: string }>`
      select ${group} as name from ${source} as source where ${conditions}${ofEach}
      group by ${group} order by ${weight} desc, ${busiest}${group} limit ${BigInt(atMost)}`
    const { rows } = await ranking.execute(analysisOn(database))
    return rows.map(({ name }) => name)
  },
  readFigures: async ({ database }, question, groups) => {
    const { source, conditions: wanted } = await sourceOf(database, question, groups?.by)
    const group = groups === null ? sql.lit('') : sql.ref<string>(GROUP_COLUMNS[groups.by])
    const sums = question.figures.map((name) => {
      const column = columnOf(question, name)
      return sql`cast(sum(${sql.ref(column)}) as bigint) as ${sql.ref(column)}`
    })
    const conditions = [wanted]
    if (groups !== null) conditions.push(sql<SqlBool>`${group} in (${sql.join(groups.names)})`)
    const reading = sql<Readonly<Record<string, bigint>>>`
      select start_ms, ${group} as group_name, ${sql.join(sums)} from ${source} as source
      where ${allOf(conditions)} group by start_ms${groups === null ? sql`` : sql`, ${group}`}
      order by start_ms limit ${MAX_ROWS}`
    const { rows } = await reading.execute(analysisOn(database))
    return rows.map(
      (row): FigurePoint => ({
        startMs: Number(row.start_ms),
        group: String(row.group_name),
        sums: Object.fromEntries(question.figures.map((name) => [name, row[columnOf(question, name)] ?? 0n])),
      }),
    )
  },
  findFirstMeasured: async ({ database }, accountId) => {
    const { first } = await queryOn(database)
      .selectFrom('usage_measures')
      .select((row) => row.fn.min<bigint | null>('start_ms').as('first'))
      .where(
        allOf(
          given<'usage_measures'>([
            ['span', '=', 'hour'],
            ['account_id', '=', accountId],
          ]),
        ),
      )
      .executeTakeFirstOrThrow()
    return first === null ? null : Number(first)
  },
  listViews: ({ database }, accountId) => VIEWS.list(database, { accountId }),
  saveView: ({ database }, view, atMost) =>
    database.transaction(async (tx) => {
      const all = await VIEWS.list(tx, { accountId: view.accountId })
      const known = all.find(({ name }) => name === view.name)
      if (known === undefined && all.length >= atMost) return null
      const saved = { ...view, id: known?.id ?? view.id }
      await VIEWS.save(tx, saved)
      return saved
    }),
  deleteView: async ({ database }, ...[accountId, id]) =>
    (await VIEWS.remove(database, { accountId, id })) > 0,
} satisfies Partial<StoreMethods>

function columnOf({ source }: FigureQuestion, name: string): string {
  return source === 'usage' ? FIGURE_COLUMNS[name as keyof typeof FIGURE_COLUMNS] : columnName(name)
}

interface Source {
  readonly source: RawBuilder<unknown>
  readonly conditions: RawBuilder<SqlBool>
}

async function sourceOf(
  database: Database,
  question: FigureQuestion,
  by: GroupChoice['by'] | undefined,
): Promise<Source> {
  const { source, span, filter } = question
  // Usage is counted together with its settlements.
  if (source !== 'usage') await flushMeasures(database)
  const conditions = conditionsOf(question)
  if (source === 'errors') return { source: failuresAndRefusals({ span, filter }), conditions }
  const named = { span, filter, groupBy: by === undefined || by === 'code' ? [] : [DIMENSIONS[by]] }
  if (source === 'usage' && isBySession(named)) {
    return { source: await sessionUsage(database, named), conditions }
  }
  if (source === 'usage' && isByKey(named)) {
    const { accountId, ...rest } = filter
    const ofAccount = given<'usage_totals'>([['account_id', '=', accountId]])
    // Keys are found by their own index: an account may have thousands of others.
    const ofKeys = allOf([conditionsOf({ ...question, filter: rest }), ...plain(ofAccount)])
    return { source: sql`usage_totals`, conditions: ofKeys }
  }
  return {
    source: source === 'measures' ? sql`usage_measures` : sql`account_usage`,
    conditions: allOf([conditions, ...accountConditions(named)]),
  }
}

const DIMENSIONS = {
  account: 'accountId',
  key: 'keyId',
  model: 'model',
  supplier: 'supplier',
  session: 'session',
  agent: 'agent',
} as const satisfies Record<Exclude<GroupChoice['by'], 'code'>, keyof UsageDimensions>

/** Refusals before admission name no model and no supplier. They are counted by the minute. */
function failuresAndRefusals({ span, filter }: Pick<FigureQuestion, 'span' | 'filter'>): RawBuilder<unknown> {
  const spanMs = sql.lit(SPAN_MS[span])
  const wanted = given<'refusal_minutes'>([
    ['account_id', '=', filter.accountId],
    ['key_id', '=', filter.keyId],
    ['minute_ms', '>=', filter.fromMs],
    ['minute_ms', '<', filter.toMs],
  ])
  const columns = sql.raw('span, start_ms, account_id, key_id, model, supplier, code, count, 0 as refusals')
  return sql`(select ${columns} from usage_errors where ${conditionsOf({ source: 'errors', span, filter })}
    union all select ${sql.lit(span)}, minute_ms - minute_ms % ${spanMs}, account_id, key_id, '', '', code, count, count
    from refusal_minutes where ${allOf(wanted)})`
}

function conditionsOf({ source, span, filter }: Omit<FigureQuestion, 'figures'>): RawBuilder<SqlBool> {
  const { fromMs, toMs, accountId, model, supplier, keyId, session, agent } = filter
  const columns = [
    ['span', span],
    ['account_id', accountId],
    ['model', model],
    ['supplier', supplier],
    ...(source === 'measures' ? [] : ([['key_id', keyId]] as const)),
    ...(source === 'usage'
      ? ([
          ['session', session],
          ['agent', agent],
        ] as const)
      : []),
  ] as const
  return allOf(
    given([
      ...columns.map(([column, value]) => [sql.ref(column), '=', value] as const),
      [sql.ref('start_ms'), '>=', fromMs],
      [sql.ref('start_ms'), '<', toMs],
    ]),
  )
}
