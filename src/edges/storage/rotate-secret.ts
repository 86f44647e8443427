import {
  createSealer,
  firstFingerprintKey,
  type SealedPlace,
  type Sealer,
} from '../../rules/access/server-secret.ts'
import { type Database, START_LOCK } from './engines/database.ts'
import { openDatabase, type Place } from './engines/open-database.ts'
import {
  columnName,
  deleteSealed,
  loadBoundColumns,
  nextSealed,
  replaceSealed,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedValue,
  saveBoundColumn,
} from './tables/supply/sealed-columns.ts'
import { FINGERPRINT_PLACE, findFingerprintKey, keepFingerprintKey } from './tables/supply/supply.ts'

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

async function resealAll(tx: Database, sealers: Sealers) {
  const tallies = new Map<SealedColumn, Awaited<ReturnType<typeof reseal>>>()
  for (const column of Object.values(SEALED_COLUMNS)) {
    tallies.set(column, await reseal(tx, column, sealers))
    // Whatever is left opens under the new secret, under which nothing was ever sealed that is not bound to its row.
    await saveBoundColumn(tx, column)
  }
  const replies = tallies.get(SEALED_COLUMNS.replies)
  return {
    credentials: tallies.get(SEALED_COLUMNS.credentials)?.resealed ?? 0,
    replies: replies?.resealed ?? 0,
    lostReplies: replies?.lost ?? 0,
  }
}

const PORTION = 200

/** Row by row in portions, so that any number of replies passes through little memory. */
async function reseal(tx: Database, sealed: SealedColumn, sealers: Sealers) {
  const tally = { resealed: 0, lost: 0 }
  let last: readonly string[] | null = null
  for (;;) {
    const values: readonly SealedValue[] = await nextSealed(tx, sealed, { after: last, atMost: PORTION })
    for (const value of values) {
      const isKept = await resealValue(tx, { ...sealed, ...value }, sealers)
      tally[isKept ? 'resealed' : 'lost'] += 1
    }
    last = values.at(-1)?.id ?? null
    if (values.length < PORTION) return tally
  }
}

async function resealValue(
  tx: Database,
  sealed: SealedColumn & SealedValue,
  { before, after }: Sealers,
): Promise<boolean> {
  const { id, table, text, isExpendable } = sealed
  const plain = openOrNull(before, text, sealed)
  if (plain !== null) {
    await replaceSealed(tx, sealed, { id, by: after.seal(plain, sealed) })
    return true
  }
  if (isExpendable !== true) {
    throw new Error(`${table} ${id.join(' ')} does not open under the old secret; nothing was changed.`)
  }
  await deleteSealed(tx, sealed, id)
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
