import { readFileSync } from 'node:fs'
import type { IssuedAlertChannel, OperatorAlert } from '../../vocabulary/observability/alert-channel.ts'
import type { IssuedSink, SinkView } from '../../vocabulary/observability/sink.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import { type Action, actionGroup } from '../action-group.ts'
import { actionOf, callEndpoint } from '../operator-action.ts'
import { printFacts } from '../print-table.ts'

const SINK_SUMMARY = 'an http or https address, s3://bucket/prefix or folder://name'

export const createSinksCommand = actionGroup('sinks', {
  summary: 'see and change where settlements and events are sent',
  actions: {
    list: actionOf('listSinks', {
      summary: 'all sinks, with how far each has got',
      show: ({ id, target, progress, ...sink }) => ({
        sink: id,
        target,
        state: stateOfSink({ ...sink, progress }),
        waiting: progress.waiting,
        oldest: progress.oldest_at,
        sent: progress.sent,
        lost: progress.lost,
        'last failure': progress.last_failure,
      }),
      figures: ['waiting', 'sent', 'lost'],
      empty: 'There are no sinks. `turnpike sinks set` adds one.',
    }),
    show: actionOf('showSink', { show: describeSink }),
    set: actionOf('putSink', {
      summary: `create or replace a sink; the target is ${SINK_SUMMARY}. A flag that is left out has its default. The signing secret of an address is shown this once`,
      show: describeSink,
    }),
    update: actionOf('changeSink', {
      summary: 'other settings; a flag that is left out changes nothing',
      missing: 'say what to change, such as --wait-seconds 60',
      show: describeSink,
    }),
    enable: actionOf('changeSink', {
      summary: 'send what is stored from now on',
      body: { enabled: true },
      show: describeSink,
    }),
    disable: actionOf('changeSink', {
      summary: 'send nothing, and delete what waits',
      body: { enabled: false },
      show: describeSink,
    }),
    delete: actionOf('deleteSink', {
      examples: ['turnpike sinks delete warehouse'],
      show: ({ id }) => ({ deleted: id }),
    }),
  },
})

function stateOfSink({ enabled, progress }: Pick<Shown<typeof SinkView>, 'enabled' | 'progress'>): string {
  if (!enabled) return 'disabled'
  return progress.failures > 0 ? 'failing' : 'enabled'
}

/** Only the answer to a call that made a sink call an address holds the secret. */
type SinkAnswer = Shown<typeof SinkView> & Partial<Pick<Shown<typeof IssuedSink>, 'secret'>>

function describeSink({ secret, progress, ...sink }: SinkAnswer) {
  return {
    ...describeSecret(secret),
    sink: sink.id,
    target: sink.target,
    state: stateOfSink({ ...sink, progress }),
    settlements: sink.settlements,
    events: sink.events,
    'wait seconds': sink.wait_seconds,
    waiting: progress.waiting,
    oldest: progress.oldest_at,
    sent: progress.sent,
    'last sent': progress.last_sent_at,
    lost: progress.lost,
    'failed tries': progress.failures,
    'next try': progress.next_try_at,
    'last failure': progress.last_failure,
    created: sink.created_at,
  }
}

function describeSecret(secret: string | null | undefined) {
  return typeof secret === 'string' ? { 'secret (shown once)': secret } : {}
}

// The address of a chat is its password, and a command line can be read by others on the machine.
const CHANNEL_FLAGS = {
  address: { read: (text: string) => (text === '-' ? readFileSync(0, 'utf8').trim() : text) },
} as const
const CHANNEL_WORDS =
  '--type is webhook, slack or email; --kinds takes kinds of alerts with commas; --address - reads the address from the standard input'

const test: Action = {
  words: ['channel'],
  notes: { channel: 'the id of the channel' },
  examples: ['turnpike alert-channels test on-call'],
  summary: 'send a test; the exit status is 1 when it was not taken',
  run: async (call) => {
    const answer = await callEndpoint(call.client, 'testAlertChannel', { id: call.said('channel') })
    printFacts(call, answer, { ...answer })
    return answer.delivered ? 0 : 1
  },
}

export const createAlertChannelsCommand = actionGroup('alert-channels', {
  summary: 'see and change where operators are told of alerts',
  actions: {
    list: actionOf('listAlertChannels', {
      summary: 'all channels, with what waits for each',
      show: ({ id, type, address, enabled, waiting, last_failure }) => {
        return { channel: id, type, address, enabled, waiting, 'last failure': last_failure }
      },
      figures: ['waiting'],
      empty: 'There are no channels. `turnpike alert-channels set` adds one.',
    }),
    show: actionOf('showAlertChannel', { show: describeChannel }),
    set: actionOf('putAlertChannel', {
      summary: `create or replace a channel; ${CHANNEL_WORDS}. The signing secret of a webhook is shown this once`,
      flags: CHANNEL_FLAGS,
      show: describeChannel,
    }),
    update: actionOf('changeAlertChannel', {
      summary: 'other settings; a flag that is left out changes nothing',
      flags: CHANNEL_FLAGS,
      missing: 'say what to change, such as --kinds circuit.open,sink.failing',
      show: describeChannel,
    }),
    enable: actionOf('changeAlertChannel', {
      summary: 'tell this channel of alerts again',
      body: { enabled: true },
      show: describeChannel,
    }),
    disable: actionOf('changeAlertChannel', {
      summary: 'tell this channel nothing until it is enabled again',
      body: { enabled: false },
      show: describeChannel,
    }),
    test,
    delete: actionOf('deleteAlertChannel', {
      examples: ['turnpike alert-channels delete on-call'],
      show: ({ id }) => ({ deleted: id }),
    }),
  },
})

/** Only the answer to a call that made a channel a webhook holds the secret. */
type ChannelAnswer = Omit<Shown<typeof IssuedAlertChannel>, 'secret'> & { readonly secret?: string | null }

function describeChannel({ secret, ...channel }: ChannelAnswer) {
  return {
    ...describeSecret(secret),
    channel: channel.id,
    type: channel.type,
    address: channel.address,
    enabled: channel.enabled,
    kinds: channel.kinds.join(', '),
    waiting: channel.waiting,
    'last failure': channel.last_failure,
    created: channel.created_at,
  }
}

export const createAlertsCommand = actionGroup('alerts', {
  summary: 'see what operators and accounts were alerted to',
  actions: {
    list: actionOf('listAlerts', {
      show: (alert) => ({
        time: alert.at,
        kind: alert.kind,
        status: alert.status,
        what: alert.title,
        account: alert.account_id,
        told: describeTold(alert),
      }),
      empty: 'There are no alerts.',
    }),
  },
})

function describeTold({ delivery, channels }: Shown<typeof OperatorAlert>): string {
  const told = channels.map(({ channel, state }) => `${channel} ${state}`)
  return (delivery.state === 'none' ? told : [`account webhook ${delivery.state}`, ...told]).join(', ')
}
