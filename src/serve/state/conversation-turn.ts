import { GatewayError } from '../../errors/gateway-error.ts'
import type { StateRules } from '../../protocols/state-rules.ts'
import { withTimeout } from '../../vocabulary/clock.ts'
import type { Adding, ConversationItem, WholeConversation } from '../ports/state/conversation-store.ts'
import type { StoredConversation } from '../ports/state/reply-store.ts'
import { KEPT_MS, type Owner, PLAIN_ID } from './stored-object.ts'

/** A supplier could not take more in one request, and a list of them stays quick to read. */
export const MAX_CONVERSATION_ITEMS = 10_000
const PATIENCE_MS = 3_000

export interface TurnParts extends Owner {
  readonly rules: StateRules
}

export function noConversation(id: string, param?: string): GatewayError {
  const message = `There is no conversation ${JSON.stringify(id.slice(0, 100))}.`
  return new GatewayError('not_found', message, param === undefined ? {} : { param })
}

export function fullConversation(): GatewayError {
  const message = `A conversation may have ${MAX_CONVERSATION_ITEMS} items at most. Begin a new one.`
  return new GatewayError('invalid_request', message, { param: 'conversation' })
}

/** The conversation that a request adds to, before its supplier is called. */
export async function openConversation(
  id: string,
  newItems: number,
  owner: Owner,
): Promise<WholeConversation> {
  const whole = await readWhole(id, owner)
  if (whole === null) throw noConversation(id, 'conversation')
  if (whole.items.length + newItems > MAX_CONVERSATION_ITEMS) throw fullConversation()
  return whole
}

async function readWhole(
  id: string,
  { caller, gateway }: Owner,
  before?: number,
): Promise<WholeConversation | null> {
  if (!PLAIN_ID.test(id)) return null
  const key = { accountId: caller.account.id, id, nowMs: gateway.clock.nowMs() }
  return gateway.conversations.readConversation(key, before)
}

/**
 * Adds the items of a turn. Unlike a reply that cannot be kept, a turn that is missing would go unnoticed, so the client
 * gets an error. A conversation that was deleted meanwhile needs no turn.
 */
export async function addTurn(id: string, items: readonly unknown[], parts: TurnParts): Promise<void> {
  try {
    await withTimeout(
      PATIENCE_MS,
      (onProgress) => addItems(id, items, { ...parts, onProgress }),
      () => {
        throw new Error('The database does not answer.')
      },
    )
  } catch (cause) {
    const message = 'The answer could not be added to its conversation; try again later.'
    throw new GatewayError('temporarily_unavailable', message, { cause })
  }
}

interface AddParts extends TurnParts {
  readonly maxItems?: number
  onProgress?(): void
}

/** Adds items at the end of a conversation. Those without an id get one. */
export function addItems(
  id: string,
  items: readonly unknown[],
  { caller, gateway, rules, ...options }: AddParts,
): Promise<Adding> {
  const nowMs = gateway.clock.nowMs()
  return gateway.conversations.addConversationItems(
    { accountId: caller.account.id, id, nowMs },
    { ...newItems(items, { caller, gateway, rules }), expiresAtMs: nowMs + KEPT_MS, ...options },
  )
}

export function newItems(items: readonly unknown[], { rules, gateway }: TurnParts) {
  const newId = (item: unknown) => gateway.newId(rules.itemPrefix(item))
  return {
    newId,
    items: items.map((item): ConversationItem => {
      const own = rules.itemId(item)
      const id = own !== null && PLAIN_ID.test(own) ? own : newId(item)
      return { id, item: item as ConversationItem['item'] }
    }),
  }
}

/**
 * Stands for the items of a conversation in the input of a stored reply, which would otherwise hold all of them in every
 * turn. It is a text, and no input item of a client is.
 */
export function earlierItems(id: string, { items, nextPosition }: WholeConversation): readonly string[] {
  return items.length === 0 ? [] : [`${id} ${nextPosition}`]
}

const EARLIER_ITEMS = /^(\S+) (\d+)$/

/** A stored reply with the items that its conversation had before it; null when that conversation is gone. */
export async function withEarlierItems(
  found: StoredConversation,
  owner: Owner,
  show: (item: ConversationItem) => unknown,
): Promise<StoredConversation | null> {
  const [first, ...later] = found.turns
  const [mark, ...own] = first?.inputItems ?? []
  if (first === undefined || typeof mark !== 'string') return found
  const [, id = '', position = '0'] = EARLIER_ITEMS.exec(mark) ?? []
  const whole = await readWhole(id, owner, Number(position))
  if (whole === null) return null
  return {
    ...found,
    turns: [{ ...first, inputItems: [...whole.items.map(show), ...own] }, ...later],
    sizeBytes: found.sizeBytes + whole.sizeBytes,
  }
}
