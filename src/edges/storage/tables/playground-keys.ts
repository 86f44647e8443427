import type { PlaygroundKey } from '../../../gateway/ports/console.ts'
import type { Database } from '../database.ts'
import { upsertRow } from '../statements.ts'

const PLAYGROUND_KEYS = { name: 'playground_keys', key: ['user_id', 'account_id'] }

export async function findPlaygroundKey(
  database: Database,
  { userId, accountId }: Omit<PlaygroundKey, 'keyId'>,
): Promise<string | null> {
  const [row] = await database.rows<{ key_id: string }>(
    'select key_id from playground_keys where user_id = $1 and account_id = $2',
    [userId, accountId],
  )
  return row?.key_id ?? null
}

export function savePlaygroundKey(database: Database, { userId, accountId, keyId }: PlaygroundKey) {
  return upsertRow(database, PLAYGROUND_KEYS, { user_id: userId, account_id: accountId, key_id: keyId })
}
