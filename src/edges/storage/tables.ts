import type { Account } from '../../vocabulary/account.ts'
import type { KeyRecord, KeySecret } from '../../vocabulary/api-key.ts'
import type { BodyStorage, KeptBody } from '../../vocabulary/kept-body.ts'
import type { Row } from '../../vocabulary/shape.ts'
import type { NodeRecord } from '../../vocabulary/system.ts'
import type { Membership, PlaygroundKey, SecondFactor, Session, StoredUser } from '../../vocabulary/user.ts'

/** Every table that queries are checked against. Columns follow from the fields of the resource that is stored there. */
export interface Tables {
  accounts: Omit<Row<typeof Account>, 'total_paid_nano'>
  account_balances: { account_id: string; balance_nano: bigint; total_paid_nano: bigint }
  api_keys: Row<typeof KeyRecord>
  key_secrets: Row<typeof KeySecret> & { key_id: string; position: bigint }
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
}
