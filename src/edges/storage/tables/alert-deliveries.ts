import type { DeliveryEnd, DueDelivery } from '../../../gateway/ports/alerts.ts'
import type { Database } from '../database.ts'
import { ALERT_COLUMNS, type AlertRow, decodeAlert } from './alerts.ts'

export async function loadDueDeliveries(
  database: Database,
  nowMs: number,
  atMost: number,
): Promise<DueDelivery[]> {
  const rows = await database.rows<AlertRow>(
    `select ${ALERT_COLUMNS} from alerts where delivery = 'pending' and due_at_ms <= $1
    order by due_at_ms, id limit $2`,
    [BigInt(nowMs), BigInt(atMost)],
  )
  return rows.map((row) => ({ alert: decodeAlert(row), tries: Number(row.tries) }))
}

/** The number of tries is what is compared: whoever raises it first has the claim. */
export async function claimDelivery(database: Database, due: DueDelivery, untilMs: number): Promise<boolean> {
  const rows = await database.rows(
    `update alerts set tries = $1, due_at_ms = $2
    where id = $3 and tries = $4 and delivery = 'pending' returning id`,
    [BigInt(due.tries + 1), BigInt(untilMs), due.alert.id, BigInt(due.tries)],
  )
  return rows.length > 0
}

export async function endDelivery(database: Database, due: DueDelivery, end: DeliveryEnd): Promise<void> {
  await database.rows(
    `update alerts set delivery = $1, due_at_ms = $2, last_failure = $3
    where id = $4 and tries = $5 and delivery = 'pending'`,
    [
      end.state,
      end.state === 'pending' ? BigInt(end.dueAtMs) : null,
      end.state === 'delivered' ? null : end.failure,
      due.alert.id,
      BigInt(due.tries + 1),
    ],
  )
}
