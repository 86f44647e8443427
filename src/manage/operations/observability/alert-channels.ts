import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type {
  AlertChannel,
  AlertChannelView,
  ChannelSettings,
  IssuedAlertChannel,
} from '../../../vocabulary/observability/alert-channel.ts'
import { RECORD_ID, RECORD_ID_RULE } from '../../../vocabulary/records/record.ts'
import type { ChannelState } from '../../ports/alert-channels.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Change, Changes, LocalOperations, OperationParts } from '../parts.ts'
import { refuse, requireFound } from '../refuse.ts'

const MAX_CHANNELS = 20

export function channelOperations({ storage, testChannel }: OperationParts) {
  return {
    listAlertChannels: async () => {
      const states = await storage.loadChannelStates()
      return (await storage.loadChannels()).map((channel) => viewOf(channel, states.get(channel.id)))
    },
    findAlertChannel: async (id) => {
      const states = await storage.loadChannelStates()
      return viewOf(await requireChannel(storage, id), states.get(id))
    },
    testAlertChannel: async (id) => {
      const channel = await requireChannel(storage, id)
      if (testChannel === undefined) throw new GatewayError('not_found', 'Channels cannot be tested here.')
      return testChannel(channel)
    },
  } satisfies Partial<LocalOperations>
}

export const channelChanges = {
  async putAlertChannel(change, id, settings) {
    if (!RECORD_ID.test(id)) refuse('id', `id must be ${RECORD_ID_RULE}.`)
    const known = await change.parts.storage.loadChannels()
    const before = known.find((channel) => channel.id === id) ?? null
    if (before === null && known.length >= MAX_CHANNELS)
      refuse('id', `There may be ${MAX_CHANNELS} channels.`)
    return saveChannel(change, before, { ...settings, id })
  },

  async changeAlertChannel(change, id, settings) {
    const before = await requireChannel(change.parts.storage, id)
    return saveChannel(change, before, { ...before, ...settings })
  },

  async deleteAlertChannel(change, id) {
    const { storage } = change.parts
    const before = await requireChannel(storage, id)
    const states = { before: describeChannel(before), after: null }
    await storage.deleteChannel(id, change.audit('alert_channel.deleted', id, states))
  },
} satisfies Changes

async function saveChannel(
  change: Change,
  before: AlertChannel | null,
  settings: ChannelSettings & Pick<AlertChannel, 'id'>,
): Promise<IssuedAlertChannel> {
  const { storage, random } = change.parts
  checkAddress(settings)
  // Only webhooks are signed, so that a channel gets its secret when it first is one.
  const isNewWebhook = settings.type === 'webhook' && before?.type !== 'webhook'
  const channel: AlertChannel = {
    ...settings,
    secret: before === null || isNewWebhook ? random.secret().replace(/^sk-/, 'whsec_') : before.secret,
    createdAtMs: before?.createdAtMs ?? change.nowMs,
  }
  if (!isDeepStrictEqual(before, channel)) {
    const action = before === null ? 'alert_channel.created' : 'alert_channel.changed'
    const states = { before: before && describeChannel(before), after: describeChannel(channel) }
    await storage.saveChannel(channel, change.audit(action, channel.id, states))
  }
  const view = viewOf(channel, (await storage.loadChannelStates()).get(channel.id))
  return { ...view, secret: isNewWebhook ? channel.secret : null }
}

async function requireChannel(storage: Pick<Storage, 'loadChannels'>, id: string): Promise<AlertChannel> {
  const found = (await storage.loadChannels()).find((channel) => channel.id === id)
  return requireFound(found ?? null, 'alert channel', id)
}

const NOTHING_WAITS: ChannelState = { waiting: 0, lastFailure: null }

function viewOf({ secret: _, ...channel }: AlertChannel, state = NOTHING_WAITS): AlertChannelView {
  return { ...channel, address: shownAddress(channel), ...state }
}

function describeChannel({ type, kinds, enabled, address }: AlertChannel) {
  return { type, address: shownAddress({ type, address }), kinds, enabled }
}

/** The path of a chat's webhook is its password, and so may be the query of any address. */
function shownAddress({ type, address }: Pick<AlertChannel, 'type' | 'address'>): string {
  if (type === 'email') return address
  const { origin, pathname } = new URL(address)
  return type === 'slack' ? `${origin}/…` : `${origin}${pathname}`
}

// Plain, so that nothing in it is read as a further header or address.
const MAIL_ADDRESS = /^[^\s@<>,;:"()[\]\\]{1,64}@[a-z0-9.-]{1,190}$/i

function checkAddress({ type, address }: ChannelSettings): void {
  if (type === 'email') {
    if (!MAIL_ADDRESS.test(address)) refuse('address', 'address must be an e-mail address.')
    return
  }
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    refuse('address', 'address must be an http or https address.')
  }
  if (url.username !== '' || url.password !== '')
    refuse('address', 'address must not hold a user or a password.')
}
