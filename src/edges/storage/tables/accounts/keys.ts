import { type ApiKey, KeyRecord, KeySecret } from '../../../../vocabulary/api-key.ts'
import type { Database } from '../../database.ts'
import { queryOn, upsert } from '../../query.ts'

export async function saveKey(tx: Database, key: ApiKey): Promise<void> {
  await upsert(tx, { table: 'api_keys', key: ['id'] }, KeyRecord.toRow(key))
  await queryOn(tx).deleteFrom('key_secrets').where('key_id', '=', key.id).execute()
  if (key.secrets.length === 0) return
  const rows = key.secrets.map((secret, position) => ({
    ...KeySecret.toRow(secret),
    key_id: key.id,
    position: BigInt(position),
  }))
  await queryOn(tx).insertInto('key_secrets').values(rows).execute()
}

export async function loadKeys(database: Database): Promise<ApiKey[]> {
  const query = queryOn(database)
  const keyRows = await query
    .selectFrom('api_keys')
    .select(KeyRecord.columns)
    .orderBy('created_at_ms')
    .orderBy('id')
    .execute()
  const secretRows = await query
    .selectFrom('key_secrets')
    .select([...KeySecret.columns, 'key_id'])
    .orderBy('key_id')
    .orderBy('position')
    .execute()
  const secretsByKey = Map.groupBy(secretRows, (row) => row.key_id)
  return keyRows.map((row) => ({
    ...KeyRecord.fromRow(row),
    secrets: (secretsByKey.get(row.id) ?? []).map((secret) => KeySecret.fromRow(secret)),
  }))
}
