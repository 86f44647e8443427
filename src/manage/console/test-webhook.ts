import { GatewayError } from '../../errors/gateway-error.ts'
import { signWebhook } from '../../rules/alerts/alert-rules.ts'
import { formatTime } from '../../vocabulary/time.ts'
import type { ConsoleParts } from './parts.ts'

const PATIENCE_MS = 15_000

/** Sends test events, which look like alerts and are signed like them. */
export class WebhookTests {
  readonly #parts: ConsoleParts
  readonly #underWay = new Set<string>()

  constructor(parts: ConsoleParts) {
    this.#parts = parts
  }

  /** Null when the receiver took it; otherwise why not. One at a time, so that nobody makes a flood of it. */
  async test(accountId: string): Promise<string | null> {
    if (this.#underWay.has(accountId)) {
      throw new GatewayError('rate_limit_exceeded', 'A test is under way; wait for its end.', {
        headers: { 'retry-after': '1' },
      })
    }
    this.#underWay.add(accountId)
    try {
      return await this.#send(accountId)
    } finally {
      this.#underWay.delete(accountId)
    }
  }

  async #send(accountId: string): Promise<string | null> {
    const { operations, clock, random, send } = this.#parts
    const { url, secret } = await operations.findWebhook(accountId)
    const nowMs = clock.nowMs()
    const event = {
      id: random.id('alt'),
      kind: 'test',
      account_id: accountId,
      at: formatTime(nowMs),
      data: {},
    }
    const body = JSON.stringify(event)
    const signature = signWebhook(body, secret, nowMs)
    return send({ url, body, signature, signal: AbortSignal.timeout(PATIENCE_MS) })
  }
}
