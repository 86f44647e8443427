/** A reply that later requests of the same account may continue from. */
export interface KeptReply {
  readonly id: string
  readonly accountId: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** Everything the model was given, in the client's format, oldest first. */
  readonly inputItems: readonly unknown[]
  /** The reply object as the client got it. */
  readonly reply: Readonly<Record<string, unknown>>
}

/** Where replies are kept. Another account's id finds nothing. */
export interface ReplyStore {
  /** `items` are the things of the reply that later requests may refer to, by their ids. */
  saveReply(reply: KeptReply, items: ReadonlyMap<string, unknown>): Promise<void>
  findReply(accountId: string, id: string, nowMs: number): Promise<KeptReply | null>
  /** The items with these ids, as far as the account has replies with them. */
  findReplyItems(
    accountId: string,
    ids: readonly string[],
    nowMs: number,
  ): Promise<ReadonlyMap<string, unknown>>
  /** Its items go with it. False when there was none. */
  deleteReply(accountId: string, id: string): Promise<boolean>
  /** Deletes some replies whose time is over; how many. */
  deleteExpiredReplies(nowMs: number, atMost: number): Promise<number>
}
