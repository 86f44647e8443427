interface Entry<Key, Value> {
  readonly key: Key
  value: Value
  older: Entry<Key, Value> | null
  newer: Entry<Key, Value> | null
}

/**
 * A map with constant-time access to its oldest entry. In a plain Map the engine keeps deleted entries for a while and
 * skips over all of them, so that finding the oldest entry takes time proportional to their number.
 */
export class AgingMap<Key, Value> {
  readonly #entries = new Map<Key, Entry<Key, Value>>()
  #oldest: Entry<Key, Value> | null = null
  #newest: Entry<Key, Value> | null = null

  get size(): number {
    return this.#entries.size
  }

  /** The key and the value of the oldest entry; null when there is none. */
  get oldest(): { readonly key: Key; readonly value: Value } | null {
    return this.#oldest
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** Changes a value without changing its age. A new key becomes the newest. */
  set(key: Key, value: Value): void {
    const known = this.#entries.get(key)
    if (known === undefined) this.#add(key, value)
    else known.value = value
  }

  /** Sets a value and makes its entry the newest. */
  renew(key: Key, value: Value): void {
    this.delete(key)
    this.#add(key, value)
  }

  delete(key: Key): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    this.#entries.delete(key)
    if (entry.older === null) this.#oldest = entry.newer
    else entry.older.newer = entry.newer
    if (entry.newer === null) this.#newest = entry.older
    else entry.newer.older = entry.older
    return true
  }

  /** Oldest first. Only the current entry may be deleted during the iteration. */
  *entries(): Generator<readonly [Key, Value]> {
    for (let entry = this.#oldest; entry !== null; entry = entry.newer) yield [entry.key, entry.value]
  }

  #add(key: Key, value: Value): void {
    const entry: Entry<Key, Value> = { key, value, older: this.#newest, newer: null }
    if (this.#newest === null) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
    this.#entries.set(key, entry)
  }
}
