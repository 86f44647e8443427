import { GatewayError } from '../../errors/gateway-error.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import type { StateRules } from '../../protocols/state-rules.ts'
import { withTimeout } from '../../vocabulary/clock.ts'
import type { Caller } from '../admission/prepared-request.ts'
import type { Gateway } from '../gateway.ts'
import { jsonReply } from '../json-reply.ts'
import type { Exchange, Reply } from '../ports/exchange.ts'
import type { ConversationItem } from '../ports/state/conversation-store.ts'
import type {
  BackgroundStep,
  KeptReply,
  SaveOptions,
  StoredConversation,
} from '../ports/state/reply-store.ts'
import { cancelRunning, resumeReply } from './background/background-control.ts'
import { findCurrent } from './background/current-reply.ts'
import { addTurn, earlierItems, openConversation, withEarlierItems } from './conversation-turn.ts'
import { type ListedItem, pageOfItems } from './page-of-items.ts'
import { KEPT_MS, type Owner, PLAIN_ID, wantedIn, withOwner } from './stored-object.ts'

// A database that does not respond must not hold up the client's answer.
const KEEP_PATIENCE_MS = 3_000
const MAX_REFERENCES = 1_000
// Sealed content is stored in base64.
export const SEALED_BYTES_PER_BYTE = 4 / 3

/** What is needed to continue from a stored reply. */
export interface StateParts {
  readonly rules: StateRules
  readonly caller: Caller
  readonly gateway: Gateway
  readonly requestId: string
}

/** The body with references replaced by the stored items. The format refuses references to items that are not stored. */
export async function resolveReferences(body: unknown, parts: StateParts): Promise<unknown> {
  const { rules, caller, gateway } = parts
  const ids = rules.referencedIds(body)
  if (ids.length === 0) return body
  const wanted = [...new Set(ids)]
  // Otherwise a few bytes, repeated, could expand the body to any size.
  if (wanted.length < ids.length || ids.length > MAX_REFERENCES) throw badReferences()
  const plain = wanted.filter((id) => PLAIN_ID.test(id))
  const items = await gateway.replies.findReplyItems(caller.account.id, plain, gateway.clock.nowMs())
  return rules.resolve(body, withConnectionItems(items, plain, parts))
}

/** Items of replies that are not stored can be referred to on the connection that they came over. */
function withConnectionItems(
  stored: ReadonlyMap<string, unknown>,
  wanted: readonly string[],
  { rules, gateway }: StateParts,
): ReadonlyMap<string, unknown> {
  if (gateway.connectionReplies === undefined || stored.size === wanted.length) return stored
  const missing = new Set(wanted.filter((id) => !stored.has(id)))
  const items = new Map(stored)
  for (const { reply } of gateway.connectionReplies.turns) {
    for (const item of rules.outputItems(reply)) {
      const id = rules.itemId(item)
      if (id !== null && missing.has(id)) items.set(id, item)
    }
  }
  return items
}

function badReferences(): GatewayError {
  const message = `input may refer to ${MAX_REFERENCES} stored items at most, and to each only once.`
  return new GatewayError('invalid_request', message, { param: 'input' })
}

/** A body with the earlier turns before its own input. */
export interface ContinuedBody {
  readonly body: unknown
  /** Absent when the client does not want the reply stored. */
  readonly keepReply?: SaveReply
}

/** With a step of its making in the background it throws when it cannot store the reply. */
export type SaveReply = (reply: unknown, background?: BackgroundStep) => Promise<void>

/**
 * Continues from an earlier reply, for formats that can. The gateway stores the state, so this works with every supplier
 * format and route. `bodyBytes` is the approximate size of the body.
 */
export async function continueFrom(
  body: unknown,
  bodyBytes: number,
  parts: StateParts,
): Promise<ContinuedBody> {
  const { rules } = parts
  const conversationId = rules.conversationId(body)
  if (conversationId !== null) return continueConversation(body, bodyBytes, { ...parts, conversationId })
  const previousId = rules.previousId(body)
  const earlier = previousId === null ? null : await findConversation(previousId, parts)
  if (earlier === null && previousId !== null) throw notStored(previousId, 'previous_response_id')
  if (earlier !== null && previousId !== null) refuseUnfinished(previousId, earlier, rules)
  const wantsStore = rules.wantsStore(body)
  if (wantsStore) refuseTooMuch((earlier?.sizeBytes ?? 0) + bodyBytes * SEALED_BYTES_PER_BYTE, parts.gateway)
  const continued = earlier === null ? body : rules.expand(body, earlier.turns)
  if (!wantsStore) return { body: continued, ...keepingOnConnection(earlier, body, parts) }
  const link = earlier?.link ?? null
  const wholeInput = () => rules.inputItems(continued)
  const inputItems = earlier === null || link !== null ? rules.inputItems(body) : wholeInput()
  return {
    body: continued,
    keepReply: (reply, background) => {
      const previous = link === null ? {} : { previous: { link, wholeInput } }
      const keeping = { reply: rules.keptReply(reply, body), inputItems, ...previous }
      return background === undefined
        ? keepPatiently(keeping, parts)
        : keep({ ...keeping, background }, parts)
    },
  }
}

/** A reply that is not stored can be continued from on the connection that it came over, if that is a WebSocket. */
function keepingOnConnection(
  earlier: StoredConversation | null,
  body: unknown,
  { rules, caller, gateway }: StateParts,
): Pick<ContinuedBody, 'keepReply'> {
  const { connectionReplies } = gateway
  if (connectionReplies === undefined) return {}
  return {
    keepReply: async (reply) => {
      const id = rules.replyId(reply)
      if (id === null) return
      const turn = { inputItems: rules.inputItems(body), reply: reply as KeptReply['reply'] }
      const turns = [...(earlier?.turns ?? []), turn]
      connectionReplies.keep({ id, accountId: caller.account.id, turns })
    },
  }
}

/**
 * The same for a conversation that the client names. Input and output are added to it when the answer is complete,
 * whether or not the reply itself is stored.
 */
async function continueConversation(
  body: unknown,
  bodyBytes: number,
  { conversationId, ...parts }: StateParts & { readonly conversationId: string },
): Promise<ContinuedBody> {
  const { rules } = parts
  const own = rules.inputItems(body)
  const before = await openConversation(conversationId, own.length, parts)
  refuseTooMuch(before.sizeBytes + bodyBytes * SEALED_BYTES_PER_BYTE, parts.gateway)
  const earlier = { inputItems: before.items.map(({ item }) => item), reply: null }
  return {
    body: before.items.length === 0 ? body : rules.expand(body, [earlier]),
    keepReply: async (reply, background) => {
      if (rules.replyId(reply) === null) return
      const isBegun = background !== undefined && 'begins' in background
      if (!isBegun) await addTurn(conversationId, [...own, ...rules.outputItems(reply)], parts)
      if (!rules.wantsStore(body)) return
      const inputItems = [...earlierItems(conversationId, before), ...own]
      const keeping = { reply: rules.keptReply(reply, body), inputItems }
      if (background === undefined) await keepPatiently(keeping, parts)
      else await keep({ ...keeping, background }, parts)
    },
  }
}

/** The next turn would be given half a conversation. */
function refuseUnfinished(id: string, earlier: StoredConversation, { background }: StateRules): void {
  if (!background.isUnfinished(earlier.turns.at(-1)?.reply)) return
  const message = `The response ${JSON.stringify(id.slice(0, 100))} is not completed, so it cannot be continued.`
  throw new GatewayError('invalid_request', message, { param: 'previous_response_id' })
}

/** Checked before a supplier is called: an answer that cannot be stored would be paid for but lost to the next turn. */
export function refuseTooMuch(bytes: number, { maxStoredBytes }: Gateway): void {
  if (maxStoredBytes === null || bytes <= maxStoredBytes) return
  const message =
    `This conversation takes more than the ${maxStoredBytes} bytes that an account may store. ` +
    'Send "store": false, or begin a new conversation.'
  throw new GatewayError('request_too_large', message, { param: 'store' })
}

interface Keeping extends Pick<SaveOptions, 'previous' | 'background'> {
  readonly reply: unknown
  readonly inputItems: readonly unknown[]
}

/** A reply that cannot be stored is still a good answer; only continuing from it will fail. */
async function keepPatiently(keeping: Keeping, parts: StateParts): Promise<void> {
  try {
    await withTimeout(
      KEEP_PATIENCE_MS,
      (onProgress) => keep(keeping, parts, onProgress),
      () => {
        throw new Error('The database does not answer.')
      },
    )
  } catch (problem) {
    parts.gateway.log.trouble('a reply could not be kept', problem, parts.requestId)
  }
}

/** Runs before the last byte of the reply leaves, so that a client can continue from it at once. */
async function keep(
  { reply, inputItems, previous, background }: Keeping,
  { rules, caller, gateway }: StateParts,
  onProgress: () => void = () => undefined,
): Promise<void> {
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
  await gateway.replies.saveReply(kept, new Map(items), {
    onProgress,
    ...(previous !== undefined && { previous }),
    ...(background !== undefined && { background }),
  })
}

/** A format whose replies are stored. */
export type StatefulProtocol = Pick<Protocol, 'heartbeat'> & { readonly state: StateRules }

async function findConversation(
  id: string,
  owner: Owner,
  show: (item: ConversationItem) => unknown = ({ item }) => item,
): Promise<StoredConversation | null> {
  if (!PLAIN_ID.test(id)) return null
  const { caller, gateway } = owner
  const remembered = gateway.connectionReplies?.find(caller.account.id, id) ?? null
  if (remembered !== null) return remembered
  const found = await gateway.replies.findConversation(caller.account.id, id, gateway.clock.nowMs())
  return found === null ? null : withEarlierItems(found, owner, show)
}

/** A stored reply as it is now. */
export async function findReply(
  id: string,
  { caller, gateway }: Owner,
  { background }: StateRules,
): Promise<KeptReply['reply'] | null> {
  if (!PLAIN_ID.test(id)) return null
  return findCurrent({ accountId: caller.account.id, id }, { rules: background, gateway })
}

function notStored(id: string, param?: string): GatewayError {
  const message = `There is no stored response ${JSON.stringify(id.slice(0, 100))}.`
  return new GatewayError('not_found', message, param === undefined ? {} : { param })
}

/** Returns a stored reply, or the events of one that is made in the background. */
export function showReply(exchange: Exchange, gateway: Gateway, protocol: StatefulProtocol): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, owner) => {
    const reply = await findReply(id, owner, protocol.state)
    if (reply === null) throw notStored(id)
    if (exchange.query.get('stream') !== 'true') return jsonReply(reply)
    return resumeReply({ id, reply, exchange, protocol, ...owner })
  })
}

/** Cancels a reply that is made in the background. One that has ended stays as it is. */
export function cancelReply(
  exchange: Exchange,
  gateway: Gateway,
  { state }: StatefulProtocol,
): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, owner) => {
    const reply = await findReply(id, owner, state)
    if (reply === null) throw notStored(id)
    const key = { accountId: owner.caller.account.id, id }
    await cancelRunning(key, reply, { rules: state.background, gateway })
    return jsonReply((await findReply(id, owner, state)) ?? reply)
  })
}

/** Returns the input of a stored reply. */
export function listReplyInput(
  exchange: Exchange,
  gateway: Gateway,
  { state: rules }: StatefulProtocol,
): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, owner) => {
    const found = await findConversation(id, owner, (item) => ({ ...item.item, id: item.id }))
    if (found === null) throw notStored(id)
    const include = wantedIn(exchange)
    const items = withIds(rules.wholeInput(found.turns), `item_${id}_`)
    const show = (item: ListedItem) => ({ ...rules.listedItem(item, item.id, include), id: item.id })
    return jsonReply(pageOfItems(items, exchange.query, { show }))
  })
}

/** Clients page by id, so each item needs an id that no other has. */
function withIds(items: readonly unknown[], prefix: string): ListedItem[] {
  const taken = new Set<unknown>()
  return items.map((item, index) => {
    const known: Readonly<Record<string, unknown>> = { ...(item as object) }
    const id = typeof known.id === 'string' && !taken.has(known.id) ? known.id : `${prefix}${index}`
    taken.add(id)
    return { ...known, id }
  })
}

/** Deletes a reply. One that is made in the background is given up. */
export function deleteReply(
  exchange: Exchange,
  gateway: Gateway,
  { state }: StatefulProtocol,
): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, owner) => {
    const accountId = owner.caller.account.id
    const isKept = (await findReply(id, owner, state)) !== null
    if (!isKept || !(await gateway.replies.deleteReply(accountId, id))) throw notStored(id)
    gateway.background.find({ accountId, id })?.leave()
    return jsonReply({ id, object: 'response', deleted: true })
  })
}
