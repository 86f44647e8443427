import {
  createSealer,
  firstFingerprintKey,
  type SealedPlace,
  type Sealer,
} from '../../rules/access/server-secret.ts'
import { type Database, type Parameter, START_LOCK } from './database.ts'
import { openDatabase, type Place } from './open-database.ts'
import { columnName, loadBoundColumns, type SealedColumn, saveBoundColumn } from './tables/sealed-columns.ts'
import { FINGERPRINT_PLACE, findFingerprintKey, keepFingerprintKey } from './tables/server-keys.ts'

export interface RotationOptions extends Place {
  readonly oldSecret: string
  readonly newSecret: string
}

/** What a rotation did to the database. */
export interface Rotation {
  /** False when everything was under the new secret already, as after a rotation that was cut off at its very end. */
  readonly isNew: boolean
  readonly credentials: number
  readonly replies: number
  /** Replies that the old secret did not open either, and that were deleted. */
  readonly lostReplies: number
  /** False when traces of the old seals could not be removed from the files of the database. */
  readonly isSwept: boolean
}

const NOTHING_DONE: Rotation = { isNew: false, credentials: 0, replies: 0, lostReplies: 0, isSwept: true }

/** Under this name, so that the nodes are not mistaken for it. */
const SESSION_NAME = 'turnpike secret rotate'

/** Seals everything anew, all of it or nothing. No node may be running. */
export async function rotateSecret(options: RotationOptions): Promise<Rotation> {
  // The secret's file changes after this, and must never be ahead of the database.
  const database = await openDatabase({ ...options, survivesPowerCut: true }, SESSION_NAME)
  try {
    // A node that starts meanwhile waits, and then finds that its secret opens nothing.
    return await database.exclusively(START_LOCK, async () => {
      await requireNoNodes(database, options)
      return rotate(database, options)
    })
  } finally {
    await database.close()
  }
}

async function rotate(database: Database, options: RotationOptions): Promise<Rotation> {
  const bound = await loadBoundColumns(database)
  const readsUnbound = (place: SealedPlace) => !bound.has(columnName(place))
  const before = createSealer(options.oldSecret, { readsUnbound, writesUnbound: () => false })
  const after = createSealer(options.newSecret)
  const kept = await findFingerprintKey(database)
  // One that was cut off may have been cut off while it swept.
  if (kept !== null && openOrNull(after, kept, FINGERPRINT_PLACE) !== null) {
    return { ...NOTHING_DONE, isSwept: await sweep(database, options) }
  }
  await keepFingerprintKey(database, firstFingerprintKey(options.oldSecret), before)
  const done = await database.transaction((tx) => resealAll(tx, { before, after }))
  return { isNew: true, ...done, isSwept: await sweep(database, options) }
}

interface Sealers {
  readonly before: Sealer
  readonly after: Sealer
}

/** Everything that is sealed under the server secret. A test finds every column that ought to be in here. */
export const SEALED_COLUMNS = {
  serverKeys: { table: 'server_keys', key: ['name'], column: 'sealed_key' },
  credentials: { table: 'credentials', key: ['id'], column: 'sealed_secret' },
  webhooks: { table: 'alert_webhooks', key: ['account_id'], column: 'sealed_secret' },
  factors: { table: 'user_factors', key: ['user_id'], column: 'sealed_secret' },
  replies: {
    table: 'kept_replies',
    key: ['account_id', 'id'],
    column: 'sealed_content',
    isExpendable: true,
  },
  pieces: {
    table: 'kept_reply_pieces',
    key: ['piece_id'],
    column: 'sealed_piece',
    isExpendable: true,
  },
  items: {
    table: 'kept_reply_items',
    key: ['account_id', 'item_id'],
    column: 'sealed_item',
    isExpendable: true,
  },
  bodies: {
    table: 'kept_bodies',
    key: ['account_id', 'request_id'],
    column: 'sealed_content',
    isExpendable: true,
  },
} as const satisfies Record<string, SealedColumn>

async function resealAll(tx: Database, sealers: Sealers) {
  await reseal(tx, SEALED_COLUMNS.serverKeys, sealers)
  const credentials = await reseal(tx, SEALED_COLUMNS.credentials, sealers)
  await reseal(tx, SEALED_COLUMNS.webhooks, sealers)
  await reseal(tx, SEALED_COLUMNS.factors, sealers)
  const replies = await reseal(tx, SEALED_COLUMNS.replies, sealers)
  await reseal(tx, SEALED_COLUMNS.pieces, sealers)
  await reseal(tx, SEALED_COLUMNS.items, sealers)
  await reseal(tx, SEALED_COLUMNS.bodies, sealers)
  // Whatever is left opens under the new secret, under which nothing was ever sealed that is not bound to its row.
  for (const column of Object.values(SEALED_COLUMNS)) await saveBoundColumn(tx, column)
  return { credentials: credentials.resealed, replies: replies.resealed, lostReplies: replies.lost }
}

interface Tally {
  resealed: number
  lost: number
}

/** Row by row in portions, so that any number of replies passes through little memory. */
async function reseal(tx: Database, sealed: SealedColumn, sealers: Sealers): Promise<Tally> {
  const tally: Tally = { resealed: 0, lost: 0 }
  let last: readonly string[] | null = null
  for (;;) {
    const rows: Record<string, string>[] = await nextRows(tx, sealed, last)
    for (const row of rows) {
      const id = sealed.key.map((column) => row[column] ?? '')
      const isKept = await resealRow(tx, sealed, { id, text: row[sealed.column] ?? '', ...sealers })
      tally[isKept ? 'resealed' : 'lost'] += 1
      last = id
    }
    if (rows.length < PORTION) return tally
  }
}

const PORTION = 200

function nextRows(tx: Database, { table, key, column }: SealedColumn, last: readonly string[] | null) {
  const names = key.join(', ')
  const places = key.map((_, index) => `$${index + 1}`).join(', ')
  const rest = last === null ? '' : `where (${names}) > (${places})`
  return tx.rows<Record<string, string>>(
    `select ${names}, ${column} from ${table} ${rest} order by ${names} limit ${PORTION}`,
    last ?? [],
  )
}

async function resealRow(
  tx: Database,
  { table, key, column, isExpendable }: SealedColumn,
  { id, text, before, after }: Sealers & { readonly id: readonly string[]; readonly text: string },
): Promise<boolean> {
  const where = (first: number) => key.map((name, index) => `${name} = $${first + index}`).join(' and ')
  const run = (sql: string, parameters: readonly Parameter[]) => tx.rows(sql, parameters)
  const place = { table, column, id }
  const plain = openOrNull(before, text, place)
  if (plain !== null) {
    const sealed = after.seal(plain, place)
    await run(`update ${table} set ${column} = $1 where ${where(2)}`, [sealed, ...id])
    return true
  }
  if (isExpendable !== true) {
    throw new Error(`${table} ${id.join(' ')} does not open under the old secret; nothing was changed.`)
  }
  await run(`delete from ${table} where ${where(1)}`, id)
  return false
}

function openOrNull(sealer: Sealer, text: string, place: SealedPlace): string | null {
  try {
    return sealer.open(text, place)
  } catch {
    return null
  }
}

const PATIENCE_MS = 3_000
const PAUSE_MS = 100

/** A node that goes on running would seal under the old secret what no node can open later. */
async function requireNoNodes(database: Database, { databaseUrl }: Place): Promise<void> {
  // With SQLite, whoever holds the data folder is the only one.
  if (databaseUrl === null) return
  const giveUpAtMs = performance.now() + PATIENCE_MS
  // A server notices a little late that a node is gone.
  while ((await countNodes(database)) > 0) {
    if (performance.now() > giveUpAtMs) {
      throw new Error('A gateway is connected to this database; stop every node first. Nothing was changed.')
    }
    await Bun.sleep(PAUSE_MS)
  }
}

async function countNodes(database: Database): Promise<number> {
  const rows = await database.rows(
    `select pid from pg_stat_activity
    where datname = current_database() and application_name like 'turnpike%' and application_name <> $1`,
    [SESSION_NAME],
  )
  return rows.length
}

/**
 * Both engines leave the bytes of replaced rows in their files for a while, where the old secret would still open
 * them. What was done stays done when this fails: it only takes room on the disk.
 */
async function sweep(database: Database, { databaseUrl }: Place): Promise<boolean> {
  const tables = Object.values(SEALED_COLUMNS).map(({ table }) => table)
  const statements = databaseUrl === null ? ['vacuum'] : tables.map((table) => `vacuum full ${table}`)
  try {
    for (const statement of statements) await database.rows(statement, [])
    return true
  } catch {
    return false
  }
}
