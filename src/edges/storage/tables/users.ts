import type { NewUser, SecondFactor, User, UserChange } from '../../../gateway/ports/identity.ts'
import type { Listing, Page } from '../../../gateway/ports/storage.ts'
import type { SealedPlace, Sealer } from '../../../rules/access/server-secret.ts'
import { decodeCursor, pageOf } from '../cursor.ts'
import type { Database, Parameter } from '../database.ts'
import { upsertRow } from '../statements.ts'

export interface UserRow {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly is_operator: bigint
  readonly is_disabled: bigint
  readonly is_email_verified: bigint
  readonly password_count: bigint
  readonly factor_count: bigint
  readonly outside_id: string | null
  readonly device_generation: bigint
  readonly created_at_ms: bigint
}

/** Everything of a user but the password's hash, which only a sign-in asks for. */
export const USER_COLUMNS = `users.id, users.email, users.name, users.is_operator, users.is_disabled,
  users.is_email_verified, case when users.password_hash is null then 0 else 1 end as password_count,
  (select count(*) from user_factors where user_factors.user_id = users.id and is_confirmed = 1) as factor_count,
  users.outside_id, users.device_generation, users.created_at_ms`

export function decodeUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    isOperator: row.is_operator === 1n,
    isDisabled: row.is_disabled === 1n,
    isEmailVerified: row.is_email_verified === 1n,
    hasPassword: row.password_count === 1n,
    hasSecondFactor: row.factor_count === 1n,
    outsideId: row.outside_id,
    deviceGeneration: Number(row.device_generation),
    createdAtMs: Number(row.created_at_ms),
  }
}

/** False when the address has a user already. */
export async function insertUser(tx: Database, { user, passwordHash }: NewUser): Promise<boolean> {
  const rows = await tx.rows(
    `insert into users (id, email, name, password_hash, is_operator, is_disabled, is_email_verified, outside_id,
      created_at_ms)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    on conflict (email) do nothing returning id`,
    [
      user.id,
      user.email,
      user.name,
      passwordHash,
      encodeFlag(user.isOperator),
      encodeFlag(user.isDisabled),
      encodeFlag(user.isEmailVerified),
      user.outsideId,
      BigInt(user.createdAtMs),
    ],
  )
  return rows.length === 1
}

/** Only what is named changes: whoever changes a name may know an older password. */
export async function updateUser(tx: Database, id: string, change: UserChange): Promise<void> {
  const { name, passwordHash, outsideId, isOperator, isDisabled, isEmailVerified } = change
  const columns: [string, Parameter][] = []
  if (name !== undefined) columns.push(['name', name])
  if (passwordHash !== undefined) columns.push(['password_hash', passwordHash])
  if (outsideId !== undefined) columns.push(['outside_id', outsideId])
  if (isOperator !== undefined) columns.push(['is_operator', encodeFlag(isOperator)])
  if (isDisabled !== undefined) columns.push(['is_disabled', encodeFlag(isDisabled)])
  if (isEmailVerified !== undefined) columns.push(['is_email_verified', encodeFlag(isEmailVerified)])
  if (columns.length === 0) return
  const settings = columns.map(([column], index) => `${column} = $${index + 1}`).join(', ')
  const parameters = [...columns.map(([, value]) => value), id]
  await tx.rows(`update users set ${settings} where id = $${parameters.length}`, parameters)
}

export async function forgetDevices(tx: Database, id: string): Promise<void> {
  await tx.rows('update users set device_generation = device_generation + 1 where id = $1', [id])
}

/** The one user with this value in a column that is unique. */
export async function findUserBy(
  database: Database,
  column: 'id' | 'email' | 'outside_id',
  value: string,
): Promise<User | null> {
  const [row] = await database.rows<UserRow>(`select ${USER_COLUMNS} from users where users.${column} = $1`, [
    value,
  ])
  return row === undefined ? null : decodeUser(row)
}

export async function findPasswordHash(database: Database, userId: string): Promise<string | null> {
  const [row] = await database.rows<{ password_hash: string | null }>(
    'select password_hash from users where id = $1',
    [userId],
  )
  return row?.password_hash ?? null
}

export async function listUsers(database: Database, page: Page): Promise<Listing<User>> {
  const parameters: Parameter[] = []
  let condition = ''
  if (page.cursor !== null) {
    const { atMs, id } = decodeCursor(page.cursor)
    condition = 'where (created_at_ms, id) > ($1, $2)'
    parameters.push(BigInt(atMs), id)
  }
  parameters.push(BigInt(page.limit + 1))
  const rows = await database.rows<UserRow>(
    `select ${USER_COLUMNS} from users ${condition} order by created_at_ms, id limit $${parameters.length}`,
    parameters,
  )
  return pageOf(rows.map(decodeUser), page, ({ createdAtMs, id }) => ({ atMs: createdAtMs, id }))
}

const FACTORS = { name: 'user_factors', key: ['user_id'] }

function factorPlace(userId: string): SealedPlace {
  return { table: 'user_factors', column: 'sealed_secret', id: userId }
}

export async function saveSecondFactor(
  tx: Database,
  { factor, recoveryHashes }: { factor: SecondFactor; recoveryHashes: readonly string[] },
  secrets: Sealer,
): Promise<void> {
  await upsertRow(tx, FACTORS, {
    user_id: factor.userId,
    sealed_secret: secrets.seal(factor.secret, factorPlace(factor.userId)),
    is_confirmed: encodeFlag(factor.isConfirmed),
    last_step: BigInt(factor.lastStep),
  })
  await tx.rows('delete from user_recovery_codes where user_id = $1', [factor.userId])
  for (const hash of recoveryHashes) {
    await tx.rows('insert into user_recovery_codes (user_id, code_hash) values ($1, $2)', [
      factor.userId,
      hash,
    ])
  }
}

export async function findSecondFactor(
  database: Database,
  userId: string,
  secrets: Sealer,
): Promise<SecondFactor | null> {
  const [row] = await database.rows<{ sealed_secret: string; is_confirmed: bigint; last_step: bigint }>(
    'select sealed_secret, is_confirmed, last_step from user_factors where user_id = $1',
    [userId],
  )
  if (row === undefined) return null
  return {
    userId,
    secret: secrets.open(row.sealed_secret, factorPlace(userId)),
    isConfirmed: row.is_confirmed === 1n,
    lastStep: Number(row.last_step),
  }
}

export async function deleteSecondFactor(tx: Database, userId: string): Promise<void> {
  await tx.rows('delete from user_recovery_codes where user_id = $1', [userId])
  await tx.rows('delete from user_factors where user_id = $1', [userId])
}

/** Of several that try at once, on whichever node, one succeeds. */
export async function takeStep(database: Database, userId: string, step: number): Promise<boolean> {
  const rows = await database.rows(
    'update user_factors set last_step = $1 where user_id = $2 and last_step < $1 returning user_id',
    [BigInt(step), userId],
  )
  return rows.length === 1
}

export async function takeRecoveryCode(database: Database, userId: string, hash: string): Promise<boolean> {
  const rows = await database.rows(
    'delete from user_recovery_codes where user_id = $1 and code_hash = $2 returning user_id',
    [userId, hash],
  )
  return rows.length === 1
}

function encodeFlag(flag: boolean): bigint {
  return flag ? 1n : 0n
}
