import type { Account } from '../../vocabulary/account.ts'
import type { KeyRecord, KeySecret } from '../../vocabulary/api-key.ts'
import type { Row } from '../../vocabulary/shape.ts'

/** Every table that queries are checked against. Columns follow from the fields of the resource that is stored there. */
export interface Tables {
  accounts: Omit<Row<typeof Account>, 'total_paid_nano'>
  account_balances: { account_id: string; balance_nano: bigint; total_paid_nano: bigint }
  api_keys: Row<typeof KeyRecord>
  key_secrets: Row<typeof KeySecret> & { key_id: string; position: bigint }
}
