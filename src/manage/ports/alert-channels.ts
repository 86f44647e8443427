import type { Alert, AlertFilter } from '../../vocabulary/alert.ts'
import type {
  AlertChannel,
  AlertChannelView,
  ChannelDelivery,
  ChannelSettings,
  IssuedAlertChannel,
  OperatorAlert,
  OperatorMessage,
} from '../../vocabulary/observability/alert-channel.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'
import type { DeliveryEnd } from './alerts.ts'
import type { Listing, Page } from './page.ts'

/** A message that waits for a channel, with the number of tries there were. */
export interface DueMessage {
  readonly id: string
  readonly channelId: string
  readonly message: OperatorMessage
  readonly tries: number
}

/** What waits for a channel. */
export type ChannelState = Pick<AlertChannelView, 'waiting' | 'lastFailure'>

export interface ChannelStore {
  loadChannels(): Promise<readonly AlertChannel[]>
  /** By the ids of the channels. */
  loadChannelStates(): Promise<ReadonlyMap<string, ChannelState>>
  /** How channels were told that these alerts were raised, by the ids of the alerts. */
  loadChannelDeliveries(
    alerts: readonly Pick<Alert, 'id' | 'atMs'>[],
  ): Promise<ReadonlyMap<string, readonly ChannelDelivery[]>>
  /** Inserts or replaces; address and secret are encrypted on the way in. */
  saveChannel(channel: AlertChannel, event: AuditEvent): Promise<void>
  deleteChannel(id: string, event: AuditEvent): Promise<void>
  /** The longest waiting first. */
  loadDueMessages(nowMs: number, atMost: number): Promise<readonly DueMessage[]>
  /** Counts a try and keeps others from it until the time is over; false when another process was first. */
  claimMessage(due: DueMessage, untilMs: number): Promise<boolean>
  endMessage(due: DueMessage, end: DeliveryEnd): Promise<void>
  /** Deletes messages from before this time that are delivered or given up. */
  deleteOldMessages(beforeMs: number): Promise<number>
}

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Null when it was sent; otherwise why not, in one sentence that is safe to show. Never fails. */
export type SendMail = (mail: Mail) => Promise<string | null>

export interface ChannelOperations {
  /** Newest first, with what operators want to know of each. */
  listOperatorAlerts(filter: AlertFilter, page: Page): Promise<Listing<OperatorAlert>>
  listAlertChannels(): Promise<readonly AlertChannelView[]>
  findAlertChannel(id: string): Promise<AlertChannelView>
  /** A new webhook gets a secret; a changed one keeps it. */
  putAlertChannel(id: string, settings: ChannelSettings, actor: string): Promise<IssuedAlertChannel>
  /** What is not named stays as it is, also an address that is never shown in full. */
  changeAlertChannel(id: string, change: Partial<ChannelSettings>, actor: string): Promise<IssuedAlertChannel>
  deleteAlertChannel(id: string, actor: string): Promise<void>
  /** null when the channel accepted the test; otherwise the reason. */
  testAlertChannel(id: string): Promise<string | null>
}
