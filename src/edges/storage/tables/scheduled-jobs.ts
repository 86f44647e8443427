import type { Database } from '../database.ts'
import { upsertRow } from '../statements.ts'

export async function findLastRunMs(database: Database, jobName: string): Promise<number | null> {
  const [row] = await database.rows<{ last_run_ms: bigint }>(
    'select last_run_ms from scheduled_jobs where name = $1',
    [jobName],
  )
  return row === undefined ? null : Number(row.last_run_ms)
}

export function saveLastRunMs(database: Database, jobName: string, atMs: number): Promise<void> {
  return upsertRow(
    database,
    { name: 'scheduled_jobs', key: ['name'] },
    { name: jobName, last_run_ms: BigInt(atMs) },
  )
}
