import { networkOf } from '../../wire/trusted-proxies.ts'

/**
 * - `new`: waits for its first request;
 * - `idle`: waits for its next request;
 * - `begun`: has sent part of the next request's head;
 * - `clearing`: has its answer, and still sends the request;
 * - `leaving`: has its answer, and has yet to close its side;
 * - `busy`: waits for an answer, or receives it.
 */
export type Standing = (typeof STANDINGS)[number]

/** What every connection must support. */
export interface Member {
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
export type Refusal = 'total' | 'address'

// The order in which connections are closed to make room: those that never sent a request first, those that are sending
// their next one last. Connections that wait for an answer are never closed.
const CLOSED_FIRST = ['new', 'leaving', 'clearing', 'idle', 'begun'] as const
const STANDINGS = [...CLOSED_FIRST, 'busy'] as const
// By how many the ceiling drops when descriptors run out. It rises again one by one.
const SQUEEZE_STEP = 16

/**
 * All connections of a server, in one linked list per standing, oldest first. Every change takes constant time.
 */
export class OpenConnections<T extends Member> {
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
  makeRoom(address: string): Refusal | null {
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

  add(connection: T, address: string): Seat<T> {
    const group = this.#limits.isExempt(address) ? null : this.#groupOf(networkOf(address))
    const seat = new Seat(connection, this.#all, group)
    seat.move('new')
    return seat
  }

  remove(seat: Seat<T>): void {
    if (!seat.leave()) return
    const { group } = seat
    if (group?.size === 0) this.#byAddress.delete(group.key)
  }

  /** The connection that has had this standing for longest. */
  first(standing: Standing): T | null {
    return this.#all.lists[standing].first?.seat.connection ?? null
  }

  /** `visit` may change the standing of its connection, or remove it. */
  forEach(standing: Standing, visit: (connection: T) => void): void {
    for (let place = this.#all.lists[standing].first; place !== null; ) {
      const { seat, next } = place
      visit(seat.connection)
      place = next
    }
  }

  forAll(visit: (connection: T) => void): void {
    for (const standing of STANDINGS) this.forEach(standing, visit)
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
    const seat = group.firstToClose()
    if (seat === null) return false
    this.remove(seat)
    this.counts.dismissed += 1
    seat.connection.dismiss()
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
export class Seat<T extends Member> {
  readonly connection: T
  readonly group: Group<T> | null
  readonly #all: Group<T>
  readonly #place: Place<T>
  readonly #placeInGroup: Place<T> | null
  #hasLeft = false

  constructor(connection: T, all: Group<T>, group: Group<T> | null) {
    this.connection = connection
    this.group = group
    this.#all = all
    this.#place = new Place(this)
    this.#placeInGroup = group === null ? null : new Place(this)
    all.size += 1
    if (group !== null) group.size += 1
  }

  /** Moves the connection to the end of this standing's list, even if it is in that list already. */
  move(standing: Standing): void {
    if (this.#hasLeft) return
    this.#all.lists[standing].append(this.#place)
    if (this.#placeInGroup !== null) this.group?.lists[standing].append(this.#placeInGroup)
  }

  /** False when the connection was removed before. */
  leave(): boolean {
    if (this.#hasLeft) return false
    this.#hasLeft = true
    this.#place.list?.remove(this.#place)
    this.#placeInGroup?.list?.remove(this.#placeInGroup)
    this.#all.size -= 1
    if (this.group !== null) this.group.size -= 1
    return true
  }
}

/** The lists of all connections, or of one address. */
class Group<T extends Member> {
  readonly key: string
  readonly lists: Readonly<Record<Standing, PlaceList<T>>> = {
    new: new PlaceList<T>(),
    idle: new PlaceList<T>(),
    begun: new PlaceList<T>(),
    clearing: new PlaceList<T>(),
    leaving: new PlaceList<T>(),
    busy: new PlaceList<T>(),
  }
  size = 0

  constructor(key = '') {
    this.key = key
  }

  firstToClose(): Seat<T> | null {
    for (const standing of CLOSED_FIRST) {
      const { first } = this.lists[standing]
      if (first !== null) return first.seat
    }
    return null
  }
}

class Place<T extends Member> {
  readonly seat: Seat<T>
  previous: Place<T> | null = null
  next: Place<T> | null = null
  list: PlaceList<T> | null = null

  constructor(seat: Seat<T>) {
    this.seat = seat
  }
}

class PlaceList<T extends Member> {
  first: Place<T> | null = null
  #last: Place<T> | null = null

  /** Moves the place here from the list that it is in. */
  append(place: Place<T>): void {
    place.list?.remove(place)
    place.list = this
    place.previous = this.#last
    place.next = null
    if (this.#last === null) this.first = place
    else this.#last.next = place
    this.#last = place
  }

  remove(place: Place<T>): void {
    if (place.previous === null) this.first = place.next
    else place.previous.next = place.next
    if (place.next === null) this.#last = place.previous
    else place.next.previous = place.previous
    place.previous = null
    place.next = null
  }
}
