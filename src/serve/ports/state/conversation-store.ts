type JsonRecord = Readonly<Record<string, unknown>>

/** A conversation that clients name by id, without its items. */
export interface Conversation {
  readonly id: string
  readonly accountId: string
  readonly createdAtMs: number
  readonly metadata: Readonly<Record<string, string>>
}

/** An item and the id that the conversation lists it by. */
export interface ConversationItem {
  readonly id: string
  /** In the client's format, as it was added. */
  readonly item: JsonRecord
}

/** Names a conversation at a time, so that an expired one is not found. */
export interface ConversationKey {
  readonly accountId: string
  readonly id: string
  readonly nowMs: number
}

export interface ItemPage {
  readonly order: 'asc' | 'desc'
  /** The item that the page comes after; null for the first page. */
  readonly after: string | null
  readonly limit: number
}

export interface ItemListing {
  readonly items: readonly ConversationItem[]
  readonly hasMore: boolean
}

/** All items of a conversation. */
export interface WholeConversation {
  readonly items: readonly ConversationItem[]
  /** The position that the next item gets. */
  readonly nextPosition: number
  /** What it takes in the store. */
  readonly sizeBytes: number
}

export interface AddedItems {
  readonly items: readonly ConversationItem[]
  /** Until when the conversation is kept if nobody uses it. */
  readonly expiresAtMs: number
  /** How many the conversation may have with these; absent: any number. */
  readonly maxItems?: number
  /** An id for an item whose own id the conversation has already. */
  newId(item: JsonRecord): string
  /** Called whenever some of a large item has been written. */
  onProgress?(): void
}

/** What became of items: `gone` when there is no such conversation, `full` when it would have too many. */
export type Adding =
  | { readonly type: 'added'; readonly items: readonly ConversationItem[] }
  | { readonly type: 'gone' }
  | { readonly type: 'full' }

/** Where conversations are kept. Another account's id finds nothing. */
export interface ConversationStore {
  /** An account that has stored too much loses what it has used least recently. */
  createConversation(conversation: Conversation, added: AddedItems): Promise<readonly ConversationItem[]>
  loadConversation(key: ConversationKey): Promise<Conversation | null>
  /** null when there is no such conversation. */
  changeConversationMetadata(
    key: ConversationKey,
    metadata: Conversation['metadata'],
    expiresAtMs: number,
  ): Promise<Conversation | null>
  /** Its items go with it. False when there was none. */
  deleteConversation(key: ConversationKey): Promise<boolean>
  /** Adds items at the end, all of them together: those of another request come before or after them. */
  addConversationItems(key: ConversationKey, added: AddedItems): Promise<Adding>
  /** A page may end early where its items are large. null when `after` names no item. */
  listConversationItems(key: ConversationKey, page: ItemPage): Promise<ItemListing | null>
  findConversationItem(key: ConversationKey, itemId: string): Promise<ConversationItem | null>
  /** False when there was none. */
  deleteConversationItem(key: ConversationKey, itemId: string): Promise<boolean>
  /** All items, or those before a position; null when there is no such conversation. */
  readConversation(key: ConversationKey, beforePosition?: number): Promise<WholeConversation | null>
  /** Deletes some conversations whose time is over; how many. */
  deleteExpiredConversations(nowMs: number, atMost: number): Promise<number>
}
