import { sql } from 'kysely'
import { NodeRecord } from '../../../../vocabulary/system.ts'
import { queryOn } from '../../query.ts'
import type { StoreMethods } from '../../store.ts'

/** The nodes that share the database. */
export const nodeStore = {
  async saveHeartbeat({ database, sealingLevel }, node, sharedLimitsId) {
    const heartbeat = {
      heartbeat_at_ms: sql<bigint>`${sql.raw(database.clockMs)}`,
      shared_limits_id: sharedLimitsId,
      sealing: BigInt(sealingLevel()),
    }
    await queryOn(database)
      .insertInto('nodes')
      .values({ ...NodeRecord.toRow(node), ...heartbeat })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(heartbeat))
      .execute()
  },

  async listNodes({ database }) {
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
      // When the clock is set back, the age of a heartbeat must not become negative.
      silentMs: Math.max(0, Number(row.silent_ms)),
    }))
  },

  async removeNode({ database }, id) {
    await queryOn(database).deleteFrom('nodes').where('id', '=', id).execute()
  },
} satisfies Partial<StoreMethods>
