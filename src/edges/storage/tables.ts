import type { Generated } from 'kysely'
import type { Account } from '../../vocabulary/account.ts'
import type { Alert, Delivery, Webhook } from '../../vocabulary/alert.ts'
import type { KeyRecord, KeySecret } from '../../vocabulary/api-key.ts'
import type { LedgerEntry, Payment, Refund } from '../../vocabulary/ledger.ts'
import type { SessionTotals } from '../../vocabulary/observability/client-session.ts'
import type { StoredView } from '../../vocabulary/observability/explore.ts'
import type { Refusal, RefusalMinute } from '../../vocabulary/observability/refusal.ts'
import type { StoredInvite, StoredReset } from '../../vocabulary/people/invite.ts'
import type { RecordTables } from '../../vocabulary/records/index.ts'
import type { BodyStorage, KeptBody, UsageGroup, UsageSpan } from '../../vocabulary/settlement.ts'
import type { Row } from '../../vocabulary/shape.ts'
import type { Credential, Model, Route, Supplier } from '../../vocabulary/supply.ts'
import type { NodeRecord } from '../../vocabulary/system.ts'
import type { PlaygroundKey, SecondFactor, Session, StoredUser } from '../../vocabulary/user.ts'
import type {
  ChannelMessage,
  ChatLabel,
  ConversationItem,
  ReplyItem,
  ReplyPiece,
  ReplyTurn,
  SinkEntry,
  SinkState,
  StoredBackground,
  StoredChannel,
  StoredChat,
  StoredConversation,
  StoredEnding,
  StoredEvent,
  StoredEvents,
  StoredMembership,
  StoredReply,
  StoredSink,
  UnusedPieces,
} from './stored-shapes.ts'
import type { MeasureRow } from './tables/explore/measure-rows.ts'
import type { SettlementRow } from './tables/money/settlement-rows.ts'
import type { UsageRow } from './tables/money/usage-rows.ts'

/** They begin empty. */
type SinkColumns = {
  [Name in keyof Row<typeof SinkState>]: Generated<Row<typeof SinkState>[Name]>
}

/** What keys are ranked by; nodes of the previous version leave it out. */
type SpendColumns = Readonly<
  Record<'requests' | 'failures' | 'prompt_tokens' | 'output_tokens', Generated<bigint>>
>

/** Every table that queries are checked against. Columns follow from the fields of the resource that is stored there. */
export interface Tables extends RecordTables {
  accounts: Omit<Row<typeof Account>, 'total_paid_nano'>
  api_keys: Row<typeof KeyRecord>
  key_secrets: Row<typeof KeySecret> & { key_id: string; position: bigint }
  /** Suppliers of early versions have no time-outs. */
  suppliers: Omit<Row<typeof Supplier>, 'timeouts'> & { timeouts: string | null }
  credentials: Omit<Row<typeof Credential>, 'secret'> & { sealed_secret: string }
  models: Row<typeof Model>
  routes: Row<typeof Route>
  users: Row<typeof StoredUser>
  memberships: Row<typeof StoredMembership>
  account_invites: Row<typeof StoredInvite>
  password_resets: Row<typeof StoredReset>
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
  alerts: Row<typeof Alert> &
    Omit<Row<typeof Delivery>, 'state' | 'tries'> & { delivery: Delivery['state']; tries: Generated<bigint> }
  alert_webhooks: Omit<Row<typeof Webhook>, 'secret'> & { sealed_secret: string }
  refusals: Row<typeof Refusal>
  client_sessions: Row<typeof SessionTotals>
  client_session_names: { session_id: string; kind: 'model' | 'agent'; name: string }
  refusal_minutes: Row<typeof RefusalMinute>
  alert_channels: Row<typeof StoredChannel>
  channel_messages: Row<typeof ChannelMessage>
  sinks: Row<typeof StoredSink> & SinkColumns
  sink_entries: Row<typeof SinkEntry>
  audit_events: Row<typeof StoredEvent>
  /** A view of posted entries, settlements and carried settlements. */
  ledger_entries: Row<typeof LedgerEntry>
  payments: Row<typeof Payment>
  posted_entries: Row<typeof LedgerEntry>
  refunds: Row<typeof Refund>

  // Tables that are no resource.
  schema_migrations: { version: bigint; name: string }
  /** Raised by every change of the configuration. */
  configuration_version: { only_row: bigint; version: bigint }

  account_balances: {
    account_id: string
    balance_nano: bigint
    total_paid_nano: bigint
    /** Raised by every movement, so that the newer of two balances is known. */
    version: Generated<bigint>
  }
  key_daily_spend: { key_id: string; day: bigint; amount_nano: bigint } & SpendColumns
  settlements: SettlementRow
  usage_totals: UsageRow & { span: UsageSpan; summed: Generated<bigint> }
  /** The same without keys. The account is empty for the totals of all accounts. */
  account_usage: Omit<UsageRow, 'key_id'> & { span: UsageSpan }
  /** Durations by bucket, and what else usage totals do not have. */
  usage_measures: MeasureRow
  saved_views: Row<typeof StoredView>
  usage_errors: Omit<Row<typeof UsageGroup>, 'supplier'> & {
    span: UsageSpan
    start_ms: bigint
    supplier: string
    code: string
    count: bigint
  }
  /** Settlements that ended before this may have been deleted. */
  settlement_horizon: { only_row: bigint; gone_before_ms: bigint }
  /** What deleted settlements cost, by the day they ended on. */
  carried_settlements: {
    account_id: string
    key_id: string
    day: bigint
    settlements: bigint
    amount_nano: bigint
    at_ms: bigint
  }

  kept_replies: Row<typeof StoredReply>
  kept_reply_items: Row<typeof ReplyItem>
  kept_reply_pieces: Row<typeof ReplyPiece>
  unused_reply_pieces: Row<typeof UnusedPieces>
  /** What each account has stored in replies. */
  kept_reply_bytes: { account_id: string; size_bytes: bigint }
  reply_turns: Row<typeof ReplyTurn>
  background_replies: Row<typeof StoredBackground>
  background_events: Row<typeof StoredEvents>
  background_endings: Row<typeof StoredEnding>

  conversations: Row<typeof StoredConversation>
  conversation_items: Row<typeof ConversationItem>
  stored_chats: Row<typeof StoredChat>
  stored_chat_labels: Row<typeof ChatLabel>

  scheduled_jobs: { name: string; last_run_ms: bigint }
  tier_doubts: { account_id: string; since_ms: bigint }
  server_keys: { name: string; sealed_key: string }
  /** Columns in which every value is bound to its row. */
  sealed_columns: { table_name: string; column_name: string; bound_at_ms: bigint }
}
