import { type Expression, sql } from 'kysely'
import type { NewUser } from '../../../../gateway/ports/identity.ts'
import type { Listing, Page } from '../../../../gateway/ports/storage.ts'
import type { SealedPlace, Sealer } from '../../../../rules/access/server-secret.ts'
import { SecondFactor, StoredUser, User, type UserUpdate } from '../../../../vocabulary/user.ts'
import { decodeCursor, pageOf } from '../../cursor.ts'
import type { Database } from '../../database.ts'
import { queryOn, upsert } from '../../query.ts'

// What is asked for of a user but not stored.
const UserRow = User.without('UserRow', ['hasPassword', 'hasSecondFactor'])

/** Everything of a user but the password's hash, which only a sign-in asks for. */
function selectUsers(database: Database) {
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

/** One for what is there, zero for null. */
function flagOf(column: Expression<unknown>) {
  return sql<bigint>`case when ${column} is null then 0 else 1 end`
}

/** False when the address has a user already. */
export async function insertUser(tx: Database, { user, passwordHash }: NewUser): Promise<boolean> {
  const rows = await queryOn(tx)
    .insertInto('users')
    .values(StoredUser.toRow({ ...user, passwordHash }))
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .execute()
  return rows.length === 1
}

/** Only what is named changes: whoever changes a name may know an older password. */
export async function updateUser(tx: Database, id: string, change: UserUpdate): Promise<void> {
  const row = StoredUser.toChangedRow(change)
  if (Object.keys(row).length === 0) return
  await queryOn(tx).updateTable('users').set(row).where('id', '=', id).execute()
}

export async function forgetDevices(tx: Database, id: string): Promise<void> {
  await queryOn(tx)
    .updateTable('users')
    .set(({ ref }) => ({ device_generation: sql<bigint>`${ref('device_generation')} + 1` }))
    .where('id', '=', id)
    .execute()
}

/** The one user with this value in a column that is unique. */
export async function findUserBy(
  database: Database,
  column: 'id' | 'email' | 'outside_id',
  value: string,
): Promise<User | null> {
  const row = await selectUsers(database).where(column, '=', value).executeTakeFirst()
  return row === undefined ? null : User.fromRow(row)
}

export async function findPasswordHash(database: Database, userId: string): Promise<string | null> {
  const query = queryOn(database).selectFrom('users').select('password_hash').where('id', '=', userId)
  return (await query.executeTakeFirst())?.password_hash ?? null
}

export async function listUsers(database: Database, page: Page): Promise<Listing<User>> {
  const after = page.cursor === null ? null : decodeCursor(page.cursor)
  const rows = await selectUsers(database)
    .$if(after !== null, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at_ms', 'id'), '>', tuple(BigInt(after?.atMs ?? 0), after?.id ?? '')),
      ),
    )
    .orderBy('created_at_ms')
    .orderBy('id')
    .limit(BigInt(page.limit + 1))
    .execute()
  const users = rows.map((row) => User.fromRow(row))
  return pageOf(users, page, ({ createdAtMs, id }) => ({ atMs: createdAtMs, id }))
}

const FactorRow = SecondFactor.without('FactorRow', ['secret'])

function factorPlace(userId: string): SealedPlace {
  return { table: 'user_factors', column: 'sealed_secret', id: userId }
}

export async function saveSecondFactor(
  tx: Database,
  { factor, recoveryHashes }: { factor: SecondFactor; recoveryHashes: readonly string[] },
  secrets: Sealer,
): Promise<void> {
  const { userId, secret } = factor
  const sealed_secret = secrets.seal(secret, factorPlace(userId))
  await upsert(tx, { table: 'user_factors', key: ['user_id'] }, { ...FactorRow.toRow(factor), sealed_secret })
  await deleteRecoveryCodes(tx, userId)
  if (recoveryHashes.length === 0) return
  const codes = recoveryHashes.map((code_hash) => ({ user_id: userId, code_hash }))
  await queryOn(tx).insertInto('user_recovery_codes').values(codes).execute()
}

export async function findSecondFactor(
  database: Database,
  userId: string,
  secrets: Sealer,
): Promise<SecondFactor | null> {
  const row = await queryOn(database)
    .selectFrom('user_factors')
    .select([...FactorRow.columns, 'sealed_secret'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (row === undefined) return null
  return { ...FactorRow.fromRow(row), secret: secrets.open(row.sealed_secret, factorPlace(userId)) }
}

export async function deleteSecondFactor(tx: Database, userId: string): Promise<void> {
  await deleteRecoveryCodes(tx, userId)
  await queryOn(tx).deleteFrom('user_factors').where('user_id', '=', userId).execute()
}

async function deleteRecoveryCodes(tx: Database, userId: string): Promise<void> {
  await queryOn(tx).deleteFrom('user_recovery_codes').where('user_id', '=', userId).execute()
}

/** Of several that try at once, on whichever node, one succeeds. */
export async function takeStep(database: Database, userId: string, step: number): Promise<boolean> {
  const rows = await queryOn(database)
    .updateTable('user_factors')
    .set({ last_step: BigInt(step) })
    .where('user_id', '=', userId)
    .where('last_step', '<', BigInt(step))
    .returning('user_id')
    .execute()
  return rows.length === 1
}

export async function takeRecoveryCode(database: Database, userId: string, hash: string): Promise<boolean> {
  const rows = await queryOn(database)
    .deleteFrom('user_recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .returning('user_id')
    .execute()
  return rows.length === 1
}
