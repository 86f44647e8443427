import type { Generated } from 'kysely'
import type { Account } from '../../vocabulary/account.ts'
import type { Alert, Delivery, Webhook } from '../../vocabulary/alert.ts'
import type { KeyRecord, KeySecret } from '../../vocabulary/api-key.ts'
import type { AuditEvent } from '../../vocabulary/audit-event.ts'
import type { BodyStorage, KeptBody } from '../../vocabulary/kept-body.ts'
import type { LedgerEntry, Payment, Refund } from '../../vocabulary/ledger.ts'
import type { UsageSpan } from '../../vocabulary/settlement.ts'
import type { Row } from '../../vocabulary/shape.ts'
import type { Credential, Model, Route, Supplier } from '../../vocabulary/supply.ts'
import type { NodeRecord } from '../../vocabulary/system.ts'
import type { Membership, PlaygroundKey, SecondFactor, Session, StoredUser } from '../../vocabulary/user.ts'
import type { SettlementRow } from './tables/settlement-rows.ts'
import type { UsageRow } from './tables/usage-rows.ts'

/** Every table that queries are checked against. Columns follow from the fields of the resource that is stored there. */
export interface Tables {
  accounts: Omit<Row<typeof Account>, 'total_paid_nano'>
  account_balances: { account_id: string; balance_nano: bigint; total_paid_nano: bigint }
  api_keys: Row<typeof KeyRecord>
  key_secrets: Row<typeof KeySecret> & { key_id: string; position: bigint }
  /** Suppliers of early versions have no time-outs. */
  suppliers: Omit<Row<typeof Supplier>, 'timeouts'> & { timeouts: string | null }
  credentials: Omit<Row<typeof Credential>, 'secret'> & { sealed_secret: string }
  models: Row<typeof Model>
  routes: Row<typeof Route>
  users: Row<typeof StoredUser>
  memberships: Row<typeof Membership>
  sessions: Row<typeof Session> & { ends_at_ms: bigint }
  user_factors: Omit<Row<typeof SecondFactor>, 'secret'> & { sealed_secret: string }
  user_recovery_codes: { user_id: string; code_hash: string }
  playground_keys: Row<typeof PlaygroundKey>
  body_storage: Row<typeof BodyStorage>
  kept_bodies: Pick<Row<typeof KeptBody>, 'account_id' | 'request_id' | 'created_at_ms'> & {
    sealed_content: string
  }
  nodes: Row<typeof NodeRecord> & {
    heartbeat_at_ms: bigint
    shared_limits_id: string | null
    sealing: bigint
  }
  server_keys: { name: string; sealed_key: string }
  alerts: Row<typeof Alert> & AlertDeliveryRow
  alert_webhooks: Omit<Row<typeof Webhook>, 'secret'> & { sealed_secret: string }
  audit_events: Omit<Row<typeof AuditEvent>, 'before' | 'after'> & {
    before_change: string | null
    after_change: string | null
  }
  carried_settlements: CarriedRow
  key_daily_spend: { key_id: string; day: bigint; amount_nano: bigint }
  /** A view of posted entries, settlements and carried settlements. */
  ledger_entries: Row<typeof LedgerEntry>
  payments: Row<typeof Payment>
  posted_entries: Row<typeof LedgerEntry>
  refunds: Row<typeof Refund>
  scheduled_jobs: { name: string; last_run_ms: bigint }
  settlements: SettlementRow
  tier_doubts: { account_id: string; since_ms: bigint }
  usage_totals: UsageRow & { span: UsageSpan }
}

interface AlertDeliveryRow {
  delivery: Delivery['state']
  tries: Generated<bigint>
  due_at_ms: bigint | null
  last_failure: string | null
}

/** What is left of the settlements of one key and day when they are deleted. */
interface CarriedRow {
  key_id: string
  day: bigint
  account_id: string
  amount_nano: bigint
  settlements: bigint
  at_ms: bigint
}
