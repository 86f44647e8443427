import { GatewayError } from '../errors/gateway-error.ts'
import type { StateRules } from '../protocols/protocol.ts'
import { authenticateVisitor, type Caller } from './authenticate.ts'
import type { Gateway } from './gateway.ts'
import { jsonReply } from './json-reply.ts'
import { guardLookUp } from './own-limits.ts'
import { type ListedItem, pageOfItems } from './page-of-items.ts'
import type { Exchange, Reply } from './ports/exchange.ts'
import type { KeptReply } from './ports/reply-store.ts'
import { ToldLimits, tellingLimits } from './telling-limits.ts'

const KEPT_MS = 30 * 24 * 60 * 60 * 1_000
// A database that does not answer must not keep a client from its answer.
const KEEP_PATIENCE_MS = 3_000
const MOST_REFERENCES = 1_000
// Ids are made by programs. Databases choke on some characters, so anything else is an id of nothing.
const PLAIN_ID = /^[!-~]{1,256}$/

/** What is needed to continue from what an account has stored. */
export interface StateParts {
  readonly rules: StateRules
  readonly caller: Caller
  readonly gateway: Gateway
  readonly requestId: string
}

/**
 * The body with the stored items it refers to in their places. One that names nothing stored is left as it is, for
 * the format to refuse.
 */
export async function resolveReferences(body: unknown, parts: StateParts): Promise<unknown> {
  const { rules, caller, gateway } = parts
  const ids = rules.referencedIds(body)
  if (ids.length === 0) return body
  const wanted = [...new Set(ids)]
  // Repeated at will, a reference of a few bytes would blow the body up to any size.
  if (wanted.length < ids.length || ids.length > MOST_REFERENCES) throw badReferences()
  const plain = wanted.filter((id) => PLAIN_ID.test(id))
  const items = await gateway.replies.findReplyItems(caller.account.id, plain, gateway.clock.nowMs())
  return rules.resolve(body, items)
}

function badReferences(): GatewayError {
  const message = `input may refer to ${MOST_REFERENCES} stored items at most, and to each only once.`
  return new GatewayError('invalid_request', message, { param: 'input' })
}

/** Keeps a whole reply for later requests, before its last byte leaves. Never fails. */
export type KeepReply = (reply: unknown) => Promise<void>

/** A body whose earlier replies have been put before its own input. */
export interface ContinuedBody {
  readonly body: unknown
  /** Absent when the client wants nothing kept. */
  readonly keepReply?: KeepReply
}

/**
 * Continues from an earlier reply, for formats that can. The gateway owns the state, so it works whatever format
 * the supplier speaks and wherever the next request is routed.
 */
export async function continueFrom(body: unknown, parts: StateParts): Promise<ContinuedBody> {
  const { rules } = parts
  const previousId = rules.previousId(body)
  const earlier = previousId === null ? null : await findKept(previousId, parts)
  if (earlier === null && previousId !== null) throw notStored(previousId, 'previous_response_id')
  const continued =
    earlier === null ? body : rules.expand(body, [...earlier.inputItems, ...rules.outputItems(earlier.reply)])
  if (!rules.wantsStore(body)) return { body: continued }
  const inputItems = rules.inputItems(continued)
  return {
    body: continued,
    keepReply: (reply) => keepPatiently({ reply: rules.keptReply(reply, body), inputItems }, parts),
  }
}

interface Keeping {
  readonly reply: unknown
  readonly inputItems: readonly unknown[]
}

/** A reply that cannot be kept is still a good answer; only continuing from it will fail. */
async function keepPatiently(keeping: Keeping, parts: StateParts): Promise<void> {
  const { promise: isLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The database does not answer.')), KEEP_PATIENCE_MS)
  try {
    await Promise.race([keep(keeping, parts), isLate])
  } catch (problem) {
    parts.gateway.log.trouble('a reply could not be kept', problem, parts.requestId)
  } finally {
    clearTimeout(timer)
  }
}

/** Written before the last byte of the reply leaves, so that a client may continue from it at once. */
async function keep({ reply, inputItems }: Keeping, { rules, caller, gateway }: StateParts): Promise<void> {
  const id = rules.replyId(reply)
  if (id === null || !PLAIN_ID.test(id)) return
  const nowMs = gateway.clock.nowMs()
  const kept: KeptReply = {
    id,
    accountId: caller.account.id,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + KEPT_MS,
    inputItems,
    reply: reply as KeptReply['reply'],
  }
  const items = rules.outputItems(reply).flatMap((item): (readonly [string, unknown])[] => {
    const itemId = rules.itemId(item)
    return itemId !== null && PLAIN_ID.test(itemId) ? [[itemId, item]] : []
  })
  await gateway.replies.saveReply(kept, new Map(items))
}

async function findKept(
  id: string,
  { caller, gateway }: Pick<StateParts, 'caller' | 'gateway'>,
): Promise<KeptReply | null> {
  if (!PLAIN_ID.test(id)) return null
  return await gateway.replies.findReply(caller.account.id, id, gateway.clock.nowMs())
}

function notStored(id: string, param?: string): GatewayError {
  const message = `There is no stored response ${JSON.stringify(id.slice(0, 100))}.`
  return new GatewayError('not_found', message, param === undefined ? {} : { param })
}

/** Gives a kept reply back. */
export function showReply(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withKept(exchange, gateway, (kept) => jsonReply(kept.reply))
}

/** Gives back what a kept reply was the answer to. */
export function listReplyInput(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withKept(exchange, gateway, (kept) =>
    jsonReply(pageOfItems(withIds(kept.inputItems, `item_${kept.id}_`), exchange.query)),
  )
}

/** Clients page by id, so each item has one, and no two the same. */
function withIds(items: readonly unknown[], prefix: string): ListedItem[] {
  const taken = new Set<unknown>()
  return items.map((item, index) => {
    const known: Readonly<Record<string, unknown>> = { ...(item as object) }
    const id = typeof known.id === 'string' && !taken.has(known.id) ? known.id : `${prefix}${index}`
    taken.add(id)
    return { ...known, id }
  })
}

export function deleteReply(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withKept(exchange, gateway, async (kept) => {
    await gateway.replies.deleteReply(kept.accountId, kept.id)
    return jsonReply({ id: kept.id, object: 'response', deleted: true })
  })
}

async function withKept(
  exchange: Exchange,
  gateway: Gateway,
  answer: (kept: KeptReply) => Reply | Promise<Reply>,
): Promise<Reply> {
  const caller = await authenticateVisitor(exchange, gateway)
  return tellingLimits(new ToldLimits(caller, gateway), async () => {
    await guardLookUp(caller, gateway.admissions)
    const id = exchange.params.id ?? ''
    const kept = await findKept(id, { caller, gateway })
    if (kept === null) throw notStored(id)
    return answer(kept)
  })
}
