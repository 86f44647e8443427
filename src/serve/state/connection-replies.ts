import type { StoredConversation, StoredTurn } from '../ports/state/reply-store.ts'

/** A turn, its size, and how many replies need it. */
interface HeldTurn {
  readonly turn: StoredTurn
  readonly bytes: number
  readonly release: () => void
  replies: number
}

interface RememberedReply {
  readonly accountId: string
  readonly turns: readonly HeldTurn[]
}

/** A reply with everything it continues from, oldest turn first. */
export interface UnstoredReply {
  readonly id: string
  readonly accountId: string
  readonly turns: readonly StoredTurn[]
}

const MAX_REPLIES = 64

/**
 * The last replies of one connection that its client does not want stored, so that it can continue from them while it is
 * connected. They take up the memory for bodies; turns that several replies share are counted once.
 */
export class ConnectionReplies {
  readonly #hold: (bytes: number) => () => void
  /** Oldest first. */
  readonly #replies = new Map<string, RememberedReply>()
  readonly #turns = new Map<StoredTurn, HeldTurn>()

  /** `hold` counts bytes until the returned function is called, and throws when there is no room. */
  constructor(hold: (bytes: number) => () => void) {
    this.#hold = hold
  }

  get turns(): Iterable<StoredTurn> {
    return this.#turns.keys()
  }

  find(accountId: string, id: string): StoredConversation | null {
    const found = this.#replies.get(id)
    if (found === undefined || found.accountId !== accountId) return null
    const sizeBytes = found.turns.reduce((sum, { bytes }) => sum + bytes, 0)
    return { turns: found.turns.map(({ turn }) => turn), link: null, sizeBytes }
  }

  /** Forgets the oldest replies when there is no room, and this one when that does not help. */
  keep({ id, accountId, turns }: UnstoredReply): void {
    this.forget(id)
    const held: HeldTurn[] = []
    for (const turn of turns) {
      const one = this.#holdTurn(turn)
      if (one === null) {
        for (const each of held) this.#letGo(each)
        return
      }
      one.replies += 1
      held.push(one)
    }
    this.#replies.set(id, { accountId, turns: held })
    if (this.#replies.size > MAX_REPLIES) this.#forgetOldest()
  }

  forget(id: string): void {
    const found = this.#replies.get(id)
    if (found === undefined) return
    this.#replies.delete(id)
    for (const held of found.turns) this.#letGo(held)
  }

  clear(): void {
    while (this.#forgetOldest());
  }

  #holdTurn(turn: StoredTurn): HeldTurn | null {
    const known = this.#turns.get(turn)
    if (known !== undefined) return known
    const bytes = JSON.stringify(turn).length
    do {
      try {
        const held = { turn, bytes, release: this.#hold(bytes), replies: 0 }
        this.#turns.set(turn, held)
        return held
      } catch {
        // There is no room. An older reply may make some.
      }
    } while (this.#forgetOldest())
    return null
  }

  #forgetOldest(): boolean {
    const [oldest] = this.#replies.keys()
    if (oldest !== undefined) this.forget(oldest)
    return oldest !== undefined
  }

  #letGo(held: HeldTurn): void {
    held.replies -= 1
    if (held.replies > 0) return
    this.#turns.delete(held.turn)
    held.release()
  }
}
