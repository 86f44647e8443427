import type { KeptReply } from './reply-store.ts'

/** A chat completion that a client asked to store. Its input items are the messages of the request. */
export interface StoredChat extends KeptReply {
  /** The model that the client asked for. */
  readonly model: string
  readonly metadata: ChatMetadata
}

export interface ChatMetadata {
  readonly pairs: Readonly<Record<string, string>>
  /** A fingerprint for each pair, which completions are listed by. */
  readonly labels: readonly string[]
}

export interface ChatPage {
  readonly order: 'asc' | 'desc'
  /** The completion that the page comes after; null for the first page. */
  readonly after: string | null
  readonly limit: number
  readonly nowMs: number
  /** null: of every model. */
  readonly model: string | null
  /** Those that have all of these. */
  readonly labels: readonly string[]
}

/** A stored completion as it is shown: the reply with its metadata. */
export interface ShownChat {
  readonly reply: KeptReply['reply']
  readonly metadata: ChatMetadata['pairs']
}

export interface ChatListing {
  readonly chats: readonly ShownChat[]
  readonly hasMore: boolean
}

/** Where chat completions are kept, among the replies of their account and with the same limits. */
export interface ChatStore {
  saveChat(chat: StoredChat, onProgress: () => void): Promise<void>
  findChat(accountId: string, id: string, nowMs: number): Promise<ShownChat | null>
  /** The messages of its request; null when there is no such completion. */
  findChatMessages(accountId: string, id: string, nowMs: number): Promise<readonly unknown[] | null>
  /** A page may end early where completions are large. null when `after` names no completion. */
  listChats(accountId: string, page: ChatPage): Promise<ChatListing | null>
  /** False when there was none. */
  changeChatMetadata(accountId: string, id: string, metadata: ChatMetadata): Promise<boolean>
  /** False when there was none. */
  deleteChat(accountId: string, id: string): Promise<boolean>
}
