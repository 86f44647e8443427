import { GatewayError } from '../errors/gateway-error.ts'
import type { StateRules } from '../protocols/protocol.ts'
import { authenticate, type Caller } from './authenticate.ts'
import type { Gateway } from './gateway.ts'
import { jsonReply } from './json-reply.ts'
import { guardLookUp } from './own-limits.ts'
import type { Exchange, Reply } from './ports/exchange.ts'
import type { KeptReply } from './ports/reply-store.ts'
import { tellingLimits } from './telling-limits.ts'

const KEPT_MS = 30 * 24 * 60 * 60 * 1_000

/** A body whose earlier replies have been put before its own input. */
export interface ContinuedBody {
  readonly body: unknown
  /** Keeps the reply for later requests; absent when the client wants nothing kept. */
  readonly keepReply?: (reply: unknown) => Promise<void>
}

/**
 * Continues from an earlier reply, for formats that can. The gateway owns the state, so it works whatever format
 * the supplier speaks and wherever the next request is routed.
 */
export async function continueFrom(body: unknown, caller: Caller, parts: StateParts): Promise<ContinuedBody> {
  const { rules, gateway } = parts
  const previousId = rules.previousId(body)
  const earlier = previousId === null ? null : await findKept(caller, previousId, gateway)
  const continued =
    earlier === null ? body : rules.expand(body, [...earlier.inputItems, ...rules.outputItems(earlier.reply)])
  if (!rules.wantsStore(body)) return { body: continued }
  const inputItems = rules.inputItems(continued)
  return { body: continued, keepReply: (reply) => keep(reply, { caller, inputItems, parts }) }
}

export interface StateParts {
  readonly rules: StateRules
  readonly gateway: Gateway
}

interface Keeping {
  readonly caller: Caller
  readonly inputItems: readonly unknown[]
  readonly parts: StateParts
}

/** Written before the last byte of the reply leaves, so that a client may continue from it at once. */
async function keep(reply: unknown, { caller, inputItems, parts }: Keeping): Promise<void> {
  const id = parts.rules.replyId(reply)
  if (id === null) return
  const nowMs = parts.gateway.clock.nowMs()
  await parts.gateway.replies.saveReply({
    id,
    accountId: caller.account.id,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + KEPT_MS,
    inputItems,
    reply: reply as KeptReply['reply'],
  })
}

async function findKept(caller: Caller, id: string, gateway: Gateway): Promise<KeptReply> {
  const kept = await gateway.replies.findReply(caller.account.id, id, gateway.clock.nowMs())
  if (kept === null) {
    throw new GatewayError('not_found', `There is no stored response ${JSON.stringify(id.slice(0, 100))}.`, {
      param: 'previous_response_id',
    })
  }
  return kept
}

/** Gives a kept reply back. */
export function showReply(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withKept(exchange, gateway, (kept) => jsonReply(kept.reply))
}

/** Gives back what a kept reply was the answer to. */
export function listReplyInput(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withKept(exchange, gateway, (kept) => {
    const data = kept.inputItems.map((item, index) => ({
      id: `item_${kept.id}_${index}`,
      ...(item as object),
    }))
    const ends = { first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null }
    return jsonReply({ object: 'list', data, has_more: false, ...ends })
  })
}

export function deleteReply(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withKept(exchange, gateway, async (kept) => {
    await gateway.replies.deleteReply(kept.accountId, kept.id)
    return jsonReply({ id: kept.id, object: 'response', deleted: true })
  })
}

function withKept(
  exchange: Exchange,
  gateway: Gateway,
  answer: (kept: KeptReply) => Reply | Promise<Reply>,
): Promise<Reply> {
  const caller = authenticate(exchange, gateway)
  return tellingLimits(caller, gateway, async () => {
    await guardLookUp(caller, gateway.admissions)
    return answer(await findKept(caller, exchange.params.id ?? '', gateway))
  })
}
