import type { NodeRecord, SeenNode } from '../../../gateway/ports/shared-books.ts'
import type { Database } from '../database.ts'

interface NodeRow {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly started_at_ms: bigint
  readonly silent_ms: bigint
  readonly shared_limits_id: string | null
}

export async function saveHeartbeat(
  database: Database,
  { id, name, version, startedAtMs }: NodeRecord,
  { sharedLimitsId, sealingLevel }: { readonly sharedLimitsId: string | null; readonly sealingLevel: number },
): Promise<void> {
  await database.rows(
    `insert into nodes (id, name, version, started_at_ms, heartbeat_at_ms, shared_limits_id, sealing)
    values ($1, $2, $3, $4, ${database.clockMs}, $5, $6)
    on conflict (id) do update set heartbeat_at_ms = excluded.heartbeat_at_ms,
      shared_limits_id = excluded.shared_limits_id, sealing = excluded.sealing`,
    [id, name, version, BigInt(startedAtMs), sharedLimitsId, BigInt(sealingLevel)],
  )
}

export async function listNodes(database: Database): Promise<SeenNode[]> {
  const rows = await database.rows<NodeRow>(
    `select id, name, version, started_at_ms, shared_limits_id,
      ${database.clockMs} - heartbeat_at_ms as silent_ms
    from nodes order by name, started_at_ms, id`,
    [],
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    version: row.version,
    startedAtMs: Number(row.started_at_ms),
    sharedLimitsId: row.shared_limits_id,
    // A clock that was set back makes nobody heard of in the future.
    silentMs: Math.max(0, Number(row.silent_ms)),
  }))
}

export async function removeNode(database: Database, id: string): Promise<void> {
  await database.rows('delete from nodes where id = $1', [id])
}
