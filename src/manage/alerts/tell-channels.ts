import { MAX_TRIES, retryDelayMs, signWebhook } from '../../rules/alerts/alert-rules.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { AlertChannel, OperatorMessage } from '../../vocabulary/observability/alert-channel.ts'
import type { ChannelStore, DueMessage, SendMail } from '../ports/alert-channels.ts'
import type { DeliveryEnd, SendWebhook } from '../ports/alerts.ts'
import { mailOf, slackBody, webhookBody } from './operator-message.ts'

export interface SendingParts {
  /** Channels are set by operators, so it may call private addresses. */
  readonly sendToOperators: SendWebhook
  /** null when there is no mail server. */
  readonly sendMail: SendMail | null
  /** What people call the currency. */
  readonly currencyName: string
  readonly clock: Clock
}

export interface ChannelParts extends SendingParts {
  readonly storage: Pick<
    ChannelStore,
    'loadChannels' | 'loadDueMessages' | 'claimMessage' | 'endMessage' | 'deleteOldMessages'
  >
  /** From 0 up to 1, for the jitter. */
  readonly random: () => number
  readonly log: Log
}

/** Sends a message to a channel. Null when it was taken; otherwise why not. */
export async function sendMessage(
  { type, address, secret }: Pick<AlertChannel, 'type' | 'address' | 'secret'>,
  message: OperatorMessage,
  { sendToOperators, sendMail, currencyName, clock, signal }: SendingParts & { readonly signal: AbortSignal },
): Promise<string | null> {
  if (type === 'email') {
    if (sendMail === null) return 'E-mail is not set up: set TURNPIKE_SMTP_URL on the server.'
    return sendMail({ to: address, ...mailOf(message, currencyName) })
  }
  const body = type === 'slack' ? slackBody(message, currencyName) : webhookBody(message)
  return sendToOperators({ url: address, body, signature: signWebhook(body, secret, clock.nowMs()), signal })
}

const TEST_PATIENCE_MS = 15_000

/** Sends a message that has the form of an alert. */
export function testChannel(channel: AlertChannel, parts: SendingParts): Promise<string | null> {
  const message: OperatorMessage = {
    id: 'test',
    status: 'raised',
    kind: 'test',
    accountId: null,
    subject: channel.id,
    atMs: parts.clock.nowMs(),
    data: { channel: channel.id },
  }
  return sendMessage(channel, message, { ...parts, signal: AbortSignal.timeout(TEST_PATIENCE_MS) })
}

const MAX_AT_ONCE = 10
// Longer than any try takes. A try whose process died is repeated after this time.
const CLAIM_MS = 60_000
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000

/** Tells channels of alerts. Of several processes on one database, one makes each try. */
export class ChannelDelivery {
  readonly #parts: ChannelParts
  readonly #ending = new AbortController()
  #channels: ReadonlyMap<string, AlertChannel> = new Map()
  #running: Promise<void> | null = null
  #isFailing = false

  constructor(parts: ChannelParts) {
    this.#parts = parts
  }

  /** Tries what is due. Resolves when no try is in flight; never rejects. */
  deliverDue(nowMs: number): Promise<void> {
    if (this.#ending.signal.aborted) return Promise.resolve()
    this.#running ??= this.#deliverAll(nowMs).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** Tells every channel at once and once, without the database, as far as its channels are known. Never rejects. */
  async tellNow(message: OperatorMessage): Promise<void> {
    const wanted = [...this.#channels.values()].filter((channel) => wants(channel, message.kind))
    await Promise.all(wanted.map((channel) => this.#send(channel, message)))
  }

  async sweep(): Promise<void> {
    const { storage, clock, log } = this.#parts
    try {
      await storage.deleteOldMessages(clock.nowMs() - KEPT_MS)
    } catch (error) {
      log.trouble('old messages to operators could not be deleted', error)
    }
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #deliverAll(nowMs: number): Promise<void> {
    const { storage, log } = this.#parts
    try {
      this.#channels = new Map((await storage.loadChannels()).map((channel) => [channel.id, channel]))
      if (this.#channels.size === 0) return
      const due = await storage.loadDueMessages(nowMs, MAX_AT_ONCE)
      await Promise.all(due.map((each) => this.#deliver(each)))
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) log.trouble('operators cannot be told of alerts for now', error)
      this.#isFailing = true
    }
  }

  async #deliver(due: DueMessage): Promise<void> {
    const { storage, clock } = this.#parts
    if (!(await storage.claimMessage(due, clock.nowMs() + CLAIM_MS))) return
    const end = await this.#try(due)
    if (!this.#ending.signal.aborted) await storage.endMessage(due, end)
  }

  async #try({ channelId, message, tries }: DueMessage): Promise<DeliveryEnd> {
    const { clock, random } = this.#parts
    if (tries >= MAX_TRIES) return { state: 'failed', failure: 'No try was completed.' }
    const channel = this.#channels.get(channelId)
    if (channel?.enabled !== true)
      return { state: 'none', failure: 'The channel was removed or switched off.' }
    const failure = await this.#send(channel, message)
    if (failure === null) return { state: 'delivered' }
    const delayMs = retryDelayMs(tries + 1, random)
    if (delayMs === null) return { state: 'failed', failure }
    return { state: 'pending', dueAtMs: clock.nowMs() + delayMs, failure }
  }

  #send(channel: AlertChannel, message: OperatorMessage): Promise<string | null> {
    return sendMessage(channel, message, { ...this.#parts, signal: this.#ending.signal })
  }
}

function wants({ enabled, kinds }: AlertChannel, kind: string): boolean {
  return enabled && kinds.some((wanted) => wanted === kind)
}
