import { type Kysely, sql } from 'kysely'
import { BOUND_PREFIX } from '../../../../rules/access/server-secret.ts'
import type { Database } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import type { Tables } from '../../tables.ts'

/** A column of encrypted values, and the key of its rows. */
export type SealedColumn = {
  [Table in keyof Tables & string]: {
    readonly table: Table
    readonly key: readonly (keyof Tables[Table] & string)[]
    readonly column: keyof Tables[Table] & string
    /** Values that may be deleted when they cannot be decrypted. There may be very many. */
    readonly isExpendable?: true
  }
}[keyof Tables & string]

/** All columns that are encrypted with the server secret. A test checks that none is missing. */
export const SEALED_COLUMNS = {
  serverKeys: { table: 'server_keys', key: ['name'], column: 'sealed_key' },
  credentials: { table: 'credentials', key: ['id'], column: 'sealed_secret' },
  webhooks: { table: 'alert_webhooks', key: ['account_id'], column: 'sealed_secret' },
  channels: { table: 'alert_channels', key: ['id'], column: 'sealed_target' },
  sinks: { table: 'sinks', key: ['id'], column: 'sealed_secret' },
  factors: { table: 'user_factors', key: ['user_id'], column: 'sealed_secret' },
  replies: { table: 'kept_replies', key: ['account_id', 'id'], column: 'sealed_content', isExpendable: true },
  pieces: { table: 'kept_reply_pieces', key: ['piece_id'], column: 'sealed_piece', isExpendable: true },
  items: {
    table: 'kept_reply_items',
    key: ['account_id', 'item_id'],
    column: 'sealed_item',
    isExpendable: true,
  },
  events: {
    table: 'background_events',
    key: ['batch_id'],
    column: 'sealed_frames',
    isExpendable: true,
  },
  endings: {
    table: 'background_endings',
    key: ['account_id', 'reply_id'],
    column: 'sealed_reply',
    isExpendable: true,
  },
  conversations: {
    table: 'conversations',
    key: ['account_id', 'id'],
    column: 'sealed_metadata',
    isExpendable: true,
  },
  conversationItems: {
    table: 'conversation_items',
    key: ['account_id', 'conversation_id', 'content_id'],
    column: 'sealed_item',
    isExpendable: true,
  },
  chats: {
    table: 'stored_chats',
    key: ['account_id', 'reply_id'],
    column: 'sealed_metadata',
    isExpendable: true,
  },
  bodies: {
    table: 'kept_bodies',
    key: ['account_id', 'request_id'],
    column: 'sealed_content',
    isExpendable: true,
  },
} as const satisfies Record<string, SealedColumn>

/** The name of a column, in the list of bound columns and in messages. */
export function columnName({ table, column }: { readonly table: string; readonly column: string }): string {
  return `${table}.${column}`
}

/** The columns in which every value is bound to its row. */
export async function loadBoundColumns(database: Database): Promise<Set<string>> {
  const rows = await queryOn(database)
    .selectFrom('sealed_columns')
    .select(['table_name as table', 'column_name as column'])
    .execute()
  return new Set(rows.map(columnName))
}

export async function saveBoundColumn(database: Database, { table, column }: SealedColumn): Promise<void> {
  await queryOn(database)
    .insertInto('sealed_columns')
    .values({ table_name: table, column_name: column, bound_at_ms: sql.raw<bigint>(database.clockMs) })
    .onConflict((conflict) => conflict.columns(['table_name', 'column_name']).doNothing())
    .execute()
}

/** An encrypted value and the key of its row. */
export interface SealedValue {
  readonly id: readonly string[]
  readonly text: string
}

interface Portion {
  /** The key of the previous value; null for the first. */
  readonly after: readonly string[] | null
  readonly atMost: number
  readonly isUnboundOnly?: boolean
}

/** The next values in the order of their keys. Each may be large. */
export async function nextSealed(
  database: Database,
  { table, key, column }: SealedColumn,
  { after, atMost, isUnboundOnly = false }: Portion,
): Promise<SealedValue[]> {
  const names = sql.join(key.map((name) => sql.ref(name)))
  const rows = await anyTable(database)
    .selectFrom(table)
    .select([...key, column])
    .$if(after !== null, (rest) => rest.where(sql<boolean>`(${names}) > (${sql.join(after ?? [])})`))
    .$if(isUnboundOnly, (rest) =>
      rest.where(sql<boolean>`substr(${sql.ref(column)}, 1, ${BOUND_PREFIX.length}) <> ${BOUND_PREFIX}`),
    )
    .orderBy(names)
    .limit(atMost)
    .execute()
  return rows.map((row) => ({ id: key.map((name) => row[name] ?? ''), text: row[column] ?? '' }))
}

interface Replacement {
  readonly id: readonly string[]
  readonly by: string
  /** Replaces the value only if it is still this one. */
  readonly text?: string
}

export async function replaceSealed(
  database: Database,
  sealed: SealedColumn,
  { id, by, text }: Replacement,
): Promise<void> {
  const unchanged = text === undefined ? {} : { [sealed.column]: text }
  await anyTable(database)
    .updateTable(sealed.table)
    .set({ [sealed.column]: by })
    .where((each) => each.and({ ...rowOf(sealed, id), ...unchanged }))
    .execute()
}

export async function deleteSealed(
  database: Database,
  sealed: SealedColumn,
  id: readonly string[],
): Promise<void> {
  await anyTable(database)
    .deleteFrom(sealed.table)
    .where((each) => each.and(rowOf(sealed, id)))
    .execute()
}

function rowOf({ key }: SealedColumn, id: readonly string[]): Record<string, string> {
  return Object.fromEntries(key.map((name, index) => [name, id[index] ?? '']))
}

/** Names of sealed columns have been checked where they are listed. All their values are texts. */
function anyTable(database: Database): Kysely<Record<string, Record<string, string>>> {
  return queryOn(database) as unknown as Kysely<Record<string, Record<string, string>>>
}
