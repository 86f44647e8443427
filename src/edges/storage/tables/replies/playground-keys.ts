import { PlaygroundKey } from '../../../../vocabulary/user.ts'
import type { Database } from '../../database.ts'
import { queryOn, upsert } from '../../query.ts'

export async function findPlaygroundKey(
  database: Database,
  { userId, accountId }: Omit<PlaygroundKey, 'keyId'>,
): Promise<string | null> {
  const row = await queryOn(database)
    .selectFrom('playground_keys')
    .select('key_id')
    .where('user_id', '=', userId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.key_id ?? null
}

export function savePlaygroundKey(database: Database, key: PlaygroundKey): Promise<void> {
  return upsert(
    database,
    { table: 'playground_keys', key: ['user_id', 'account_id'] },
    PlaygroundKey.toRow(key),
  )
}
