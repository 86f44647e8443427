import { sql } from 'kysely'
import type { DueMessage } from '../../../../manage/ports/alert-channels.ts'
import type { Alert } from '../../../../vocabulary/alert.ts'
import type { OperatorMessage } from '../../../../vocabulary/observability/alert-channel.ts'
import type { Database } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import type { StoreMethods } from '../../store.ts'
import { ChannelMessage, StoredChannel } from '../../stored-shapes.ts'
import { tableOf } from '../../table.ts'
import { withEvent } from '../supply/audit-events.ts'
import { SEALED_COLUMNS } from '../supply/sealed-columns.ts'

const CHANNELS = tableOf('alert_channels', StoredChannel, { key: ['id'] })
const MESSAGES = tableOf('channel_messages', ChannelMessage, { key: ['id'] })

interface Target {
  readonly address: string
  readonly secret: string
}

/** The channels of operators, and what waits for them. */
export const channelStore = {
  loadChannels: async ({ database, secrets }) => {
    const stored = await CHANNELS.list(database)
    return stored.map(({ sealedTarget, ...channel }) => {
      const target = secrets.open(sealedTarget, { ...SEALED_COLUMNS.channels, id: channel.id })
      return { ...channel, ...(JSON.parse(target) as Target) }
    })
  },
  loadChannelStates: async ({ database }) => {
    const rows = await queryOn(database)
      .selectFrom('alert_channels')
      .select('id')
      .select((row) => [
        row
          .selectFrom('channel_messages')
          .select(({ fn }) => fn.countAll<bigint>().as('count'))
          .whereRef('channel_id', '=', 'alert_channels.id')
          .where('state', '=', 'pending')
          .as('waiting'),
        // Of the newest message that was tried: a failure before a success is no longer of interest.
        row
          .selectFrom('channel_messages')
          .select('last_failure')
          .whereRef('channel_id', '=', 'alert_channels.id')
          .where(({ eb, or }) => or([eb('state', '<>', 'pending'), eb('last_failure', 'is not', null)]))
          .orderBy('at_ms', 'desc')
          .orderBy('id')
          .limit(1n)
          .as('last_failure'),
      ])
      .execute()
    return new Map(
      rows.map(({ id, waiting, last_failure }) => [
        id,
        { waiting: Number(waiting), lastFailure: last_failure },
      ]),
    )
  },
  loadChannelDeliveries: async ({ database }, alerts) => {
    const ids = new Set(alerts.map(({ id }) => id))
    const times = alerts.map(({ atMs }) => atMs)
    if (ids.size === 0) return new Map()
    // A message that an alert was raised has the time of the alert.
    const rows = await queryOn(database)
      .selectFrom('channel_messages')
      .select(ChannelMessage.columns)
      .where('at_ms', '>=', BigInt(Math.min(...times)))
      .where('at_ms', '<=', BigInt(Math.max(...times)))
      .orderBy('channel_id')
      .execute()
    const told = rows
      .map((row) => ChannelMessage.fromRow(row))
      .map(({ message, ...rest }) => ({ ...rest, message: message as OperatorMessage }))
      .filter(({ message: { id, status } }) => status === 'raised' && ids.has(id))
    return Map.groupBy(told, ({ message }) => message.id)
  },
  saveChannel: ({ database, secrets }, { address, secret, ...channel }, event) =>
    withEvent(database, event, (tx) => {
      const target = JSON.stringify({ address, secret } satisfies Target)
      const sealedTarget = secrets.seal(target, { ...SEALED_COLUMNS.channels, id: channel.id })
      return CHANNELS.save(tx, { ...channel, sealedTarget })
    }),
  deleteChannel: ({ database }, id, event) =>
    withEvent(database, event, async (tx) => {
      await MESSAGES.remove(tx, { channelId: id })
      await CHANNELS.remove(tx, { id })
    }),
  loadDueMessages: async ({ database }, nowMs, atMost) => {
    const rows = await queryOn(database)
      .selectFrom('channel_messages')
      .select(ChannelMessage.columns)
      .where('state', '=', 'pending')
      .where('due_at_ms', '<=', BigInt(nowMs))
      .orderBy('due_at_ms')
      .orderBy('id')
      .limit(BigInt(atMost))
      .execute()
    return rows.map((row): DueMessage => {
      const { id, channelId, message, tries } = ChannelMessage.fromRow(row)
      return { id, channelId, message: message as OperatorMessage, tries }
    })
  },
  // The process that first raises the number of tries gets the message.
  claimMessage: async ({ database }, { id, tries }, untilMs) =>
    (await MESSAGES.change(
      database,
      { id, tries, state: 'pending' },
      { tries: tries + 1, dueAtMs: untilMs },
    )) > 0,
  endMessage: async ({ database }, { id, tries }, end) => {
    await MESSAGES.change(
      database,
      { id, tries: tries + 1, state: 'pending' },
      {
        state: end.state,
        dueAtMs: end.state === 'pending' ? end.dueAtMs : null,
        lastFailure: end.state === 'delivered' ? null : end.failure,
      },
    )
  },
  deleteOldMessages: async ({ database }, beforeMs) => {
    const deleted = await queryOn(database)
      .deleteFrom('channel_messages')
      .where('at_ms', '<', BigInt(beforeMs))
      .where('state', '<>', 'pending')
      .returning(sql.lit(1).as('one'))
      .execute()
    return deleted.length
  },
} satisfies Partial<StoreMethods>

// Operators are told of it without the database, which does not answer then.
const TOLD_DIRECTLY = 'journal.waiting'

/** Queues a message for every channel that wants it, in the same transaction as the alert. */
export async function tellChannels(
  tx: Database,
  { occasion: _, ...alert }: Alert,
  { status, atMs }: Pick<OperatorMessage, 'status' | 'atMs'>,
): Promise<void> {
  if (alert.kind === TOLD_DIRECTLY) return
  for (const { id, kinds, enabled } of await CHANNELS.list(tx)) {
    if (!enabled || !kinds.includes(alert.kind)) continue
    await MESSAGES.insert(tx, {
      id: crypto.randomUUID(),
      channelId: id,
      message: { ...alert, atMs, status },
      atMs,
      state: 'pending',
      tries: 0,
      dueAtMs: atMs,
      lastFailure: null,
    })
  }
}
