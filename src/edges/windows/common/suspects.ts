/** Accounts of which the limits store may believe something that is not so, with the keys whose totals it may lack. */
export class Suspects {
  readonly #keysOf = new Map<string, Set<string>>()
  /**
   * Accounts that were healed. They are looked at once more: a call that was given up may still lie in a connection
   * that was lost, and be carried out after the one that healed.
   */
  #convalescents = new Set<string>()

  get size(): number {
    return this.#keysOf.size
  }

  add(accountId: string, keyIds: Iterable<string> = []): void {
    const known = this.#keysOf.get(accountId)
    if (known === undefined) this.#keysOf.set(accountId, new Set(keyIds))
    else for (const keyId of keyIds) known.add(keyId)
  }

  accountIds(): string[] {
    return [...this.#keysOf.keys()]
  }

  keyIds(): string[] {
    return [...this.#keysOf.values()].flatMap((keyIds) => [...keyIds])
  }

  /** From here on they are healed; gives the keys whose totals are to be told. */
  discharge(accountId: string): ReadonlySet<string> {
    const keyIds = this.#keysOf.get(accountId)
    if (keyIds === undefined) return NONE
    this.#keysOf.delete(accountId)
    this.#convalescents.add(accountId)
    return keyIds
  }

  takeConvalescents(): ReadonlySet<string> {
    const accountIds = this.#convalescents
    this.#convalescents = new Set()
    return accountIds
  }
}

const NONE: ReadonlySet<string> = new Set()
