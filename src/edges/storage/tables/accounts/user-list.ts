import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { Listing, Page } from '../../../../manage/ports/page.ts'
import { User, type UserListQuery } from '../../../../vocabulary/user.ts'
import { isBeyond, readCursor, readPage, writeCursor } from '../../cursor.ts'
import type { Database } from '../../engines/database.ts'
import { allOf, queryOn } from '../../query.ts'

// Derived fields of a user, which are not stored.
const UserRow = User.without('UserRow', ['hasPassword', 'hasSecondFactor'])

/** A user without the password hash, which only the sign-in reads. */
export function selectUsers(database: Database) {
  return queryOn(database)
    .selectFrom('users')
    .leftJoin('user_factors', (join) =>
      join.onRef('user_factors.user_id', '=', 'users.id').on('user_factors.is_confirmed', '=', 1n),
    )
    .select(UserRow.columns)
    .select(({ ref }) => [
      flagOf(ref('users.password_hash')).as('has_password'),
      flagOf(ref('user_factors.user_id')).as('has_second_factor'),
    ])
}

/** One for a value, zero for null. */
function flagOf(column: Expression<unknown>) {
  return sql<bigint>`case when ${column} is null then 0 else 1 end`
}

/** One page of users, oldest first unless the query says otherwise. */
export async function listUsers(
  database: Database,
  page: Page,
  query: UserListQuery,
): Promise<Listing<User>> {
  const { sort = 'created_at' } = query
  const direction = sort.startsWith('-') ? 'desc' : 'asc'
  const wanted = selectUsers(database).where(allOf(conditionsOf(query)))
  if (sort.endsWith('created_at')) {
    return readPage(wanted, page, {
      at: 'created_at_ms',
      direction,
      decode: (row) => User.fromRow(row),
    })
  }
  const by = sql<string>`lower(${sql.ref(sort.endsWith('email') ? 'email' : 'name')})`
  const columns = [by, sql<string>`${sql.ref('id')}`]
  const place = page.cursor === null ? null : readPlace(page.cursor)
  const rows = await wanted
    .select(by.as('place'))
    .where(place === null ? sql<SqlBool>`1 = 1` : isBeyond(columns, place, direction))
    .orderBy(by, direction)
    .orderBy('id', direction)
    .limit(BigInt(page.limit + 1))
    .execute()
  const data = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? data.at(-1) : undefined
  return {
    data: data.map(({ place: _, ...row }) => User.fromRow(row)),
    nextCursor: last === undefined ? null : writeCursor([last.place, last.id]),
  }
}

// Each is a condition of the statement; more would not narrow the list any further.
const MOST_WORDS = 10

function conditionsOf({ search, ids, isOperator, isDisabled }: UserListQuery): RawBuilder<SqlBool>[] {
  const conditions: RawBuilder<SqlBool>[] = []
  const words = search?.split(/\s+/).filter((word) => word !== '') ?? []
  for (const word of words.slice(0, MOST_WORDS)) conditions.push(contains(['email', 'name', 'id'], word))
  if (ids !== undefined) conditions.push(sql<SqlBool>`${sql.ref('id')} in (${sql.join(ids.split(','))})`)
  if (isOperator !== undefined) {
    conditions.push(sql<SqlBool>`${sql.ref('is_operator')} = ${isOperator ? 1n : 0n}`)
  }
  if (isDisabled !== undefined) {
    conditions.push(sql<SqlBool>`${sql.ref('is_disabled')} = ${isDisabled ? 1n : 0n}`)
  }
  return conditions
}

/** SQLite lowers only ASCII letters, so other letters also match as they are written. */
function contains(columns: readonly string[], text: string): RawBuilder<SqlBool> {
  const pattern = (part: string) => `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
  const matches = columns.flatMap((column) => [
    sql`lower(${sql.ref(column)}) like ${pattern(text.toLowerCase())} escape '\\'`,
    sql`${sql.ref(column)} like ${pattern(text)} escape '\\'`,
  ])
  return sql<SqlBool>`(${sql.join(matches, sql` or `)})`
}

function readPlace(cursor: string): string[] {
  const place = readCursor(cursor, 2)
  if (place.length === 2 && place.every((part) => typeof part === 'string')) return place as string[]
  throw new GatewayError('invalid_request', 'cursor must be the next_cursor of an earlier page.', {
    param: 'cursor',
  })
}
