import type { GatewayError } from '../errors/gateway-error.ts'
import type { JsonObject } from '../wire/json-values.ts'

/** The input of an earlier request and its reply. */
export interface EarlierTurn {
  readonly inputItems: readonly unknown[]
  readonly reply: unknown
}

/** How a format continues from earlier replies, which the gateway stores. */
export interface StateRules {
  /** The id of the reply a body continues from; null for a new conversation. */
  previousId(body: unknown): string | null
  /** The id of the conversation that a body adds to; null for none. */
  conversationId(body: unknown): string | null
  /** The body with the earlier turns before its own input. */
  expand(body: unknown, turns: readonly EarlierTurn[]): unknown
  inputItems(body: unknown): readonly unknown[]
  /** The complete model input for the last of these turns. */
  wholeInput(turns: readonly EarlierTurn[]): readonly unknown[]
  wantsStore(body: unknown): boolean
  /** null when the reply has no id. */
  replyId(reply: unknown): string | null
  outputItems(reply: unknown): readonly unknown[]
  /** The reply to store. It repeats the client's parameters, not those sent to the supplier. */
  keptReply(reply: unknown, body: unknown): unknown
  /** The id of an item, for references in later requests; null when it has none. */
  itemId(item: unknown): string | null
  /** Ids of earlier items that the body refers to. */
  referencedIds(body: unknown): readonly string[]
  /** The body with references replaced by the items. */
  resolve(body: unknown, items: ReadonlyMap<string, unknown>): unknown
  readonly background: BackgroundRules
  /** An item as it is listed: complete, under this id, with what the client wants included. */
  listedItem(item: unknown, id: string, include: ReadonlySet<string>): JsonObject
  /** The prefix of ids for items that have none. */
  itemPrefix(item: unknown): string
  readonly conversations: ConversationRules
}

/** How replies are made in the background, for clients that come back for them. */
export interface BackgroundRules {
  /** Whether a body asks for it. */
  isWanted(body: unknown): boolean
  /** The body that asks for a stream, which suppliers answer without a long silence; null when it does already. */
  streamed(body: unknown): unknown
  /** The reply before it is made. */
  queued(body: unknown, facts: { readonly id: string; readonly createdAtMs: number }): JsonObject
  isBackground(reply: unknown): boolean
  /** Whether a stored reply is one that has yet to be made in the background. */
  isUnfinished(reply: unknown): boolean
  withStatus(reply: unknown, status: string): JsonObject
  /** How the reply of a whole stream ended. */
  endOf(reply: unknown): 'completed' | 'incomplete' | 'failed'
  failed(reply: unknown, error: GatewayError): JsonObject
  openEvents(queued: unknown): BackgroundEvents
  /** The event that ends a stream, from the reply as it ended. */
  lastFrame(reply: unknown, number: number): string
}

/** The events of a reply that is made in the background. */
export interface BackgroundEvents {
  /** The events before the supplier is asked. */
  readonly beginning: readonly string[]
  /** The reply as the last event has it; null until then. */
  readonly final: JsonObject | null
  /** The events that these bytes of an answer complete, but for the last one. */
  push(bytes: Uint8Array): readonly string[]
}

/** How a format spells conversations, which the gateway stores. */
export interface ConversationRules {
  /** Checks a body that creates a conversation. An empty body is allowed. */
  readNew(body: unknown): NewConversation
  /** Checks a body that adds items. */
  readAddition(body: unknown): Pick<NewConversation, 'input'>
  /** Checks a body that changes the metadata. */
  readChange(body: unknown): Pick<NewConversation, 'metadata'>
  /** Checks items whose references were resolved. */
  itemsOf(input: unknown): readonly JsonObject[]
  encode(conversation: ShownConversation): JsonObject
  encodeDeleted(id: string): JsonObject
}

export interface NewConversation {
  /** A body with the items as its input, whose references have yet to be resolved. */
  readonly input: unknown
  readonly metadata: Readonly<Record<string, string>>
}

export interface ShownConversation {
  readonly id: string
  readonly createdAtMs: number
  readonly metadata: Readonly<Record<string, string>>
}
