import { sql } from 'kysely'
import { NodeRecord, type SeenNode } from '../../../../vocabulary/system.ts'
import type { Database } from '../../database.ts'
import { queryOn } from '../../query.ts'

export async function saveHeartbeat(
  database: Database,
  node: NodeRecord,
  { sharedLimitsId, sealingLevel }: { readonly sharedLimitsId: string | null; readonly sealingLevel: number },
): Promise<void> {
  const heartbeat = {
    heartbeat_at_ms: sql<bigint>`${sql.raw(database.clockMs)}`,
    shared_limits_id: sharedLimitsId,
    sealing: BigInt(sealingLevel),
  }
  await queryOn(database)
    .insertInto('nodes')
    .values({ ...NodeRecord.toRow(node), ...heartbeat })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(heartbeat))
    .execute()
}

export async function listNodes(database: Database): Promise<SeenNode[]> {
  const rows = await queryOn(database)
    .selectFrom('nodes')
    .select([...NodeRecord.columns, 'shared_limits_id'])
    .select(({ ref }) =>
      sql<bigint>`${sql.raw(database.clockMs)} - ${ref('heartbeat_at_ms')}`.as('silent_ms'),
    )
    .orderBy('name')
    .orderBy('started_at_ms')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    ...NodeRecord.fromRow(row),
    sharedLimitsId: row.shared_limits_id,
    // A clock that was set back makes nobody heard of in the future.
    silentMs: Math.max(0, Number(row.silent_ms)),
  }))
}

export async function removeNode(database: Database, id: string): Promise<void> {
  await queryOn(database).deleteFrom('nodes').where('id', '=', id).execute()
}
