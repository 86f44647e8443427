import { GatewayError } from '../../errors/gateway-error.ts'
import { protocolOf } from '../../protocols/index.ts'
import type { StateRules } from '../../protocols/state-rules.ts'
import type { Gateway } from '../gateway.ts'
import { jsonReply } from '../json-reply.ts'
import type { Exchange, Reply } from '../ports/exchange.ts'
import type { Conversation, ConversationItem, ConversationKey } from '../ports/state/conversation-store.ts'
import {
  addItems,
  fullConversation,
  MAX_CONVERSATION_ITEMS,
  newItems,
  noConversation,
  type TurnParts,
} from './conversation-turn.ts'
import { listOf, readPage, unknownAfter } from './page-of-items.ts'
import { resolveReferences } from './reply-state.ts'
import { KEPT_MS, type Owner, PLAIN_ID, wantedIn, withBody, withOwner } from './stored-object.ts'

/** The format whose items conversations hold. */
const FORMAT = 'responses'

export function stateRules(): StateRules {
  const rules = protocolOf(FORMAT)?.state
  if (rules === undefined) throw new Error(`${FORMAT} keeps no state`)
  return rules
}

export function createConversation(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withBody(exchange, gateway, async (body, owner) => {
    const rules = stateRules()
    const parts = { ...owner, rules, requestId: exchange.requestId }
    const { input, metadata } = rules.conversations.readNew(body)
    const items = rules.conversations.itemsOf(await resolveReferences(input, parts))
    const createdAtMs = gateway.clock.nowMs()
    const { id: accountId } = owner.caller.account
    const conversation = { accountId, id: gateway.newId('conv_'), createdAtMs, metadata }
    const added = { ...newItems(items, parts), expiresAtMs: createdAtMs + KEPT_MS }
    await gateway.conversations.createConversation(conversation, added)
    return jsonReply(rules.conversations.encode(conversation))
  })
}

export function showConversation(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, owner) => shown(await load(id, owner)))
}

export function updateConversation(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withBody(exchange, gateway, async (body, owner) => {
    const { metadata } = stateRules().conversations.readChange(body)
    const key = keyOf(idOf(exchange), owner)
    const changed = await gateway.conversations.changeConversationMetadata(key, metadata, key.nowMs + KEPT_MS)
    if (changed === null) throw noConversation(key.id)
    return shown(changed)
  })
}

export function deleteConversation(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, owner) => {
    if (!(await gateway.conversations.deleteConversation(keyOf(id, owner)))) throw noConversation(id)
    return jsonReply(stateRules().conversations.encodeDeleted(id))
  })
}

export function addConversationItems(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withBody(exchange, gateway, async (body, owner) => {
    const rules = stateRules()
    const { id } = keyOf(idOf(exchange), owner)
    const parts: TurnParts = { ...owner, rules }
    const { input } = rules.conversations.readAddition(body)
    const resolved = await resolveReferences(input, { ...parts, requestId: exchange.requestId })
    const items = rules.conversations.itemsOf(resolved)
    const adding = await addItems(id, items, { ...parts, maxItems: MAX_CONVERSATION_ITEMS })
    if (adding.type === 'gone') throw noConversation(id)
    if (adding.type === 'full') throw fullConversation()
    return jsonReply(listOf(adding.items.map(listing(exchange)), false))
  })
}

export function listConversationItems(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, owner) => {
    const page = readPage(exchange.query, 'desc')
    await load(id, owner)
    if (page.after !== null && !PLAIN_ID.test(page.after)) throw unknownAfter()
    const found = await gateway.conversations.listConversationItems(keyOf(id, owner), page)
    if (found === null) throw unknownAfter()
    return jsonReply(listOf(found.items.map(listing(exchange)), found.hasMore))
  })
}

export function showConversationItem(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, owner) => {
    await load(id, owner)
    const itemId = itemIdOf(exchange)
    const found = await gateway.conversations.findConversationItem(keyOf(id, owner), itemId)
    if (found === null) throw noItem(itemId)
    return jsonReply(listing(exchange)(found))
  })
}

export function deleteConversationItem(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, owner) => {
    const conversation = await load(id, owner)
    const itemId = itemIdOf(exchange)
    const isDeleted = await gateway.conversations.deleteConversationItem(keyOf(id, owner), itemId)
    if (!isDeleted) throw noItem(itemId)
    return shown(conversation)
  })
}

function shown(conversation: Conversation): Reply {
  return jsonReply(stateRules().conversations.encode(conversation))
}

async function load(id: string, owner: Owner): Promise<Conversation> {
  const found = await owner.gateway.conversations.loadConversation(keyOf(id, owner))
  if (found === null) throw noConversation(id)
  return found
}

function idOf(exchange: Exchange): string {
  return exchange.params.id ?? ''
}

function keyOf(id: string, { caller, gateway }: Owner): ConversationKey {
  if (!PLAIN_ID.test(id)) throw noConversation(id)
  return { accountId: caller.account.id, id, nowMs: gateway.clock.nowMs() }
}

function itemIdOf(exchange: Exchange): string {
  const itemId = exchange.params.item ?? ''
  if (!PLAIN_ID.test(itemId)) throw noItem(itemId)
  return itemId
}

function noItem(id: string): GatewayError {
  const message = `There is no item ${JSON.stringify(id.slice(0, 100))} in this conversation.`
  return new GatewayError('not_found', message)
}

/** How the items of an answer are written. */
function listing(exchange: Exchange): (item: ConversationItem) => { readonly id: string } {
  const rules = stateRules()
  const include = wantedIn(exchange)
  return ({ id, item }) => ({ id, ...rules.listedItem(item, id, include) })
}
