import type { BackgroundBeginning } from './background-store.ts'

/** A reply that later requests of the same account may continue from. */
export interface KeptReply {
  readonly id: string
  readonly accountId: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** What the request itself added to the conversation, in the client's format, oldest first. */
  readonly inputItems: readonly unknown[]
  /** The reply object as the client got it. */
  readonly reply: Readonly<Record<string, unknown>>
}

/** One request of a conversation and the reply to it. */
export type StoredTurn = Pick<KeptReply, 'inputItems' | 'reply'>

/** A kept reply with everything it continues from. */
export interface StoredConversation {
  /** Oldest first; the last one is the reply that was asked for. */
  readonly turns: readonly StoredTurn[]
  /** What the next reply links to; null when it has to hold the whole history itself. */
  readonly link: string | null
  /** What the turns take in the store. */
  readonly sizeBytes: number
}

export type BackgroundStep =
  | { readonly begins: BackgroundBeginning }
  | { readonly endsOn: string; readonly status: 'completed' | 'incomplete' }

export interface SaveOptions {
  /** The reply that this one continues from. */
  readonly previous?: {
    readonly link: string
    /** All the model was given; kept instead of the link when what it leads to is gone by now. */
    wholeInput(): readonly unknown[]
  }
  /** For a reply that is made in the background: it begins, or this node has completed it. */
  readonly background?: BackgroundStep
  /** Called whenever some of a large reply has been written. */
  onProgress?(): void
}

/** Where replies are kept. Another account's id finds nothing. */
export interface ReplyStore {
  /**
   * `items` are the things of the reply that later requests may refer to, by their ids. An account that has stored too
   * much loses its oldest conversations.
   */
  saveReply(reply: KeptReply, items: ReadonlyMap<string, unknown>, options?: SaveOptions): Promise<void>
  findReply(accountId: string, id: string, nowMs: number): Promise<KeptReply | null>
  /** The reply object alone, however large its input is. */
  findReplyObject(accountId: string, id: string, nowMs: number): Promise<KeptReply['reply'] | null>
  findConversation(accountId: string, id: string, nowMs: number): Promise<StoredConversation | null>
  /** The items with these ids, as far as the account has replies with them. */
  findReplyItems(
    accountId: string,
    ids: readonly string[],
    nowMs: number,
  ): Promise<ReadonlyMap<string, unknown>>
  /** Its items go with it; its content stays as long as later replies need it. False when there was none. */
  deleteReply(accountId: string, id: string): Promise<boolean>
  /** Deletes some replies whose time is over, as `deleteReply` does; how many. */
  deleteExpiredReplies(nowMs: number, atMost: number): Promise<number>
}
