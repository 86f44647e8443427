import { networkOf } from '../../wire/trusted-proxies.ts'

/**
 * - `new`: waits for its first request;
 * - `idle`: waits for its next request;
 * - `web-socket`: is a WebSocket without work in progress;
 * - `begun`: has sent part of the next request's head;
 * - `clearing`: has its answer, and still sends the request;
 * - `closing`: has its answer, and has yet to close its side;
 * - `busy`: waits for an answer, or receives it.
 */
export type ConnectionState = (typeof CONNECTION_STATES)[number]

/** What every connection must support. */
export interface ManagedConnection {
  /** Closes the connection to make room for another. */
  dismiss(): void
}

export interface ConnectionLimits {
  readonly total: number
  readonly perAddress: number
  /** Whether the limit per address does not apply, because many customers share the address. */
  readonly isExempt: (address: string) => boolean
}

export const NO_LIMITS: ConnectionLimits = {
  total: Number.POSITIVE_INFINITY,
  perAddress: Number.POSITIVE_INFINITY,
  isExempt: () => true,
}

/** The limit that a refused connection has reached. */
export type ConnectionRefusal = 'total' | 'address'

// The order in which connections are closed to make room: those that never sent a request first, those that are sending
// their next one last. Connections that wait for an answer are never closed.
const CLOSED_FIRST = ['new', 'closing', 'clearing', 'idle', 'web-socket', 'begun'] as const
const CONNECTION_STATES = [...CLOSED_FIRST, 'busy'] as const
// By how many the ceiling drops when descriptors run out. It rises again one by one.
const SQUEEZE_STEP = 16

/**
 * All connections of a server, in one linked list per state, oldest first. Every change takes constant time.
 */
export class OpenConnections<T extends ManagedConnection> {
  readonly #limits: ConnectionLimits
  readonly #all = new Group<T>()
  readonly #byAddress = new Map<string, Group<T>>()
  #ceiling: number
  readonly counts = { dismissed: 0, refusedByTotal: 0, refusedByAddress: 0 }

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.#ceiling = limits.total
  }

  get size(): number {
    return this.#all.size
  }

  /** The current limit: lower than configured while descriptors are short. */
  get ceiling(): number {
    return this.#ceiling
  }

  /**
   * Makes room for a connection from this address, closing an idle one if needed. Otherwise returns the limit reached.
   */
  makeRoom(address: string): ConnectionRefusal | null {
    const group = this.#limits.isExempt(address) ? undefined : this.#byAddress.get(networkOf(address))
    if (group !== undefined && group.size >= this.#limits.perAddress && !this.#dismissOne(group)) {
      this.counts.refusedByAddress += 1
      return 'address'
    }
    if (this.#all.size >= this.#ceiling && !this.#dismissOne(this.#all)) {
      this.counts.refusedByTotal += 1
      return 'total'
    }
    return null
  }

  add(connection: T, address: string): ConnectionEntry<T> {
    const group = this.#limits.isExempt(address) ? null : this.#groupOf(networkOf(address))
    const entry = new ConnectionEntry(connection, this.#all, group)
    entry.move('new')
    return entry
  }

  remove(entry: ConnectionEntry<T>): void {
    if (!entry.remove()) return
    const { group } = entry
    if (group?.size === 0) this.#byAddress.delete(group.key)
  }

  /** The connection that has had this state for longest. */
  first(state: ConnectionState): T | null {
    return this.#all.lists[state].first?.entry.connection ?? null
  }

  /** `visit` may change the state of its connection, or remove it. */
  forEach(state: ConnectionState, visit: (connection: T) => void): void {
    for (let node = this.#all.lists[state].first; node !== null; ) {
      const { entry, next } = node
      visit(entry.connection)
      node = next
    }
  }

  forAll(visit: (connection: T) => void): void {
    for (const state of CONNECTION_STATES) this.forEach(state, visit)
  }

  /** No descriptor is left: lowers the ceiling and closes idle connections down to it. */
  squeeze(): void {
    this.#ceiling = Math.max(1, Math.min(this.#ceiling, this.#all.size) - SQUEEZE_STEP)
    while (this.#all.size > this.#ceiling && this.#dismissOne(this.#all));
  }

  /** Descriptors are free again: raises the ceiling. */
  relax(): void {
    this.#ceiling = Math.min(this.#limits.total, this.#ceiling + 1)
  }

  #dismissOne(group: Group<T>): boolean {
    const entry = group.firstToClose()
    if (entry === null) return false
    this.remove(entry)
    this.counts.dismissed += 1
    entry.connection.dismiss()
    return true
  }

  #groupOf(key: string): Group<T> {
    const known = this.#byAddress.get(key)
    if (known !== undefined) return known
    const group = new Group<T>(key)
    this.#byAddress.set(key, group)
    return group
  }
}

/** One connection's list entries: among all connections, and among those of its address if that is limited. */
export class ConnectionEntry<T extends ManagedConnection> {
  readonly connection: T
  readonly group: Group<T> | null
  readonly #all: Group<T>
  readonly #node: ListNode<T>
  readonly #nodeInGroup: ListNode<T> | null
  #isRemoved = false

  constructor(connection: T, all: Group<T>, group: Group<T> | null) {
    this.connection = connection
    this.group = group
    this.#all = all
    this.#node = new ListNode(this)
    this.#nodeInGroup = group === null ? null : new ListNode(this)
    all.size += 1
    if (group !== null) group.size += 1
  }

  /** Moves the connection to the end of this state's list, even if it is in that list already. */
  move(state: ConnectionState): void {
    if (this.#isRemoved) return
    this.#all.lists[state].append(this.#node)
    if (this.#nodeInGroup !== null) this.group?.lists[state].append(this.#nodeInGroup)
  }

  /** False when the connection was removed before. */
  remove(): boolean {
    if (this.#isRemoved) return false
    this.#isRemoved = true
    this.#node.list?.remove(this.#node)
    this.#nodeInGroup?.list?.remove(this.#nodeInGroup)
    this.#all.size -= 1
    if (this.group !== null) this.group.size -= 1
    return true
  }
}

/** The lists of all connections, or of one address. */
class Group<T extends ManagedConnection> {
  readonly key: string
  readonly lists: Readonly<Record<ConnectionState, ConnectionList<T>>> = {
    new: new ConnectionList<T>(),
    idle: new ConnectionList<T>(),
    'web-socket': new ConnectionList<T>(),
    begun: new ConnectionList<T>(),
    clearing: new ConnectionList<T>(),
    closing: new ConnectionList<T>(),
    busy: new ConnectionList<T>(),
  }
  size = 0

  constructor(key = '') {
    this.key = key
  }

  firstToClose(): ConnectionEntry<T> | null {
    for (const state of CLOSED_FIRST) {
      const { first } = this.lists[state]
      if (first !== null) return first.entry
    }
    return null
  }
}

class ListNode<T extends ManagedConnection> {
  readonly entry: ConnectionEntry<T>
  previous: ListNode<T> | null = null
  next: ListNode<T> | null = null
  list: ConnectionList<T> | null = null

  constructor(entry: ConnectionEntry<T>) {
    this.entry = entry
  }
}

class ConnectionList<T extends ManagedConnection> {
  first: ListNode<T> | null = null
  #last: ListNode<T> | null = null

  /** Moves the node here from the list that it is in. */
  append(node: ListNode<T>): void {
    node.list?.remove(node)
    node.list = this
    node.previous = this.#last
    node.next = null
    if (this.#last === null) this.first = node
    else this.#last.next = node
    this.#last = node
  }

  remove(node: ListNode<T>): void {
    if (node.previous === null) this.first = node.next
    else node.previous.next = node.next
    if (node.next === null) this.#last = node.previous
    else node.next.previous = node.previous
    node.previous = null
    node.next = null
  }
}
