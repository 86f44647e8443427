/**
 * A hash table of fixed records in memory that several processes share.
 *
 * A process may look at the records only while it holds the lock, which no step does for longer than some
 * microseconds. Records keep their serial number for life, and move when the table grows: who remembers where a record
 * stands compares its serial number before using it.
 *
 * Record 0 is the header. Amounts are 64-bit integers; times and counts are doubles.
 */
export class RecordTable {
  readonly #file: TableFile
  /** What this process writes into the lock; unique among all that ever open the table. */
  readonly #holder: number
  readonly #isInUse: (index: number) => boolean
  #halves: Int32Array = new Int32Array()
  #capacity = 0
  #mostFilled = MOST_FILLED
  /** What is created in a step is in use until its end. */
  #lastBefore = 0
  /** Fields of all records, by `index * FIELDS + field`. The same memory, read as doubles and as integers. */
  numbers: Float64Array = new Float64Array()
  amounts: BigInt64Array = new BigInt64Array()

  /** `isInUse`: whether a record must be kept when the table gets full. */
  constructor(file: TableFile, holder: number, isInUse: (index: number) => boolean) {
    this.#file = file
    this.#holder = holder
    this.#isInUse = isInUse
    this.#map()
    if (this.numbers[LAYOUT] !== CURRENT_LAYOUT) {
      throw new Error('This program cannot share limits with the one that is running. Restart everything.')
    }
  }

  /** Tries for a few microseconds. Everything below needs the lock, apart from `lockedBy` and `empty`. */
  tryLock(): boolean {
    for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
      if (Atomics.compareExchange(this.#halves, LOCK, UNLOCKED, this.#holder) !== UNLOCKED) continue
      if (this.numbers[CAPACITY] !== this.#capacity) this.#mapGrown()
      this.#lastBefore = this.numbers[LAST_SERIAL] ?? 0
      return true
    }
    return false
  }

  /** A process gives the lock back within microseconds, unless the system lets it wait or it has died. */
  async lock(): Promise<void> {
    for (let retries = 0; retries < MOST_RETRIES; retries += 1) {
      if (this.tryLock()) return
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
    throw new Error('Another worker does not release the limits that workers share.')
  }

  unlock(): void {
    Atomics.store(this.#halves, LOCK, UNLOCKED)
  }

  lockedBy(): number {
    return Atomics.load(this.#halves, LOCK)
  }

  get generation(): number {
    return this.numbers[GENERATION] ?? 0
  }

  set generation(generation: number) {
    this.numbers[GENERATION] = generation
  }

  get configurationVersion(): number {
    return this.numbers[CONFIGURATION_VERSION] ?? 0
  }

  set configurationVersion(version: number) {
    this.numbers[CONFIGURATION_VERSION] = version
  }

  /** A number that no record has, or had. */
  newSerial(): number {
    const serial = (this.numbers[LAST_SERIAL] ?? 0) + 1
    this.numbers[LAST_SERIAL] = serial
    return serial
  }

  kindAt(index: number): number {
    return this.numbers[index * FIELDS + KIND] ?? 0
  }

  serialAt(index: number): number {
    return this.numbers[index * FIELDS + SERIAL] ?? 0
  }

  /** Gives a record another serial number, so that everybody notices. */
  renew(index: number): void {
    this.numbers[index * FIELDS + SERIAL] = this.newSerial()
  }

  /** 0 when there is no such record. */
  find(kind: number, name: string): number {
    const index = this.#slotOf(this.#hash(kind, name))
    return this.serialAt(index) === 0 ? 0 : index
  }

  /** The record of this name, which is created with all fields 0 if it is missing. */
  open(kind: number, name: string): number {
    const hash = this.#hash(kind, name)
    const index = this.#slotOf(hash)
    if (this.serialAt(index) !== 0) return index
    if ((this.numbers[USED] ?? 0) + 1 <= this.#capacity * this.#mostFilled)
      return this.#create(index, kind, hash)
    this.#rebuild()
    if ((this.numbers[USED] ?? 0) + 1 > this.#capacity * this.#mostFilled)
      throw new Error('No room for limits.')
    return this.#create(this.#slotOf(hash), kind, hash)
  }

  /** The record whose name `writeName` wrote there; 0 when it is gone. */
  findNamed(names: number): number {
    const index = this.#slotLike(this.#halves, names)
    return this.serialAt(index) === 0 ? 0 : index
  }

  /** Writes the name of a record into two fields of another one. */
  writeName(of: number, names: number): void {
    this.amounts[names] = this.amounts[of * FIELDS] ?? 0n
    this.amounts[names + 1] = this.amounts[of * FIELDS + 1] ?? 0n
  }

  /** Adds to an amount. In halves, since each big integer would be an object, and this is done twelve times a request. */
  add(field: number, { high, low }: Halves): void {
    const sum = ((this.#halves[2 * field] ?? 0) >>> 0) + low
    this.#halves[2 * field] = sum
    const carry = sum >= HALF ? 1 : 0
    this.#halves[2 * field + 1] = (this.#halves[2 * field + 1] ?? 0) + high + carry
  }

  /** Calls `visit` with the place of each record of a kind. */
  each(kind: number, visit: (index: number) => void): void {
    for (let index = 1; index < this.#capacity; index += 1) {
      if (this.serialAt(index) !== 0 && this.kindAt(index) === kind) visit(index)
    }
  }

  /** Removes all records and the generation, and takes the lock from whoever has it. */
  empty(): void {
    this.#map()
    this.numbers.fill(0, FIELDS, this.#capacity * FIELDS)
    this.numbers[USED] = 0
    this.generation = 0
    this.unlock()
  }

  #mapGrown(): void {
    try {
      this.#map()
    } catch (error) {
      this.unlock()
      throw error
    }
  }

  #map(): void {
    this.#use(this.#file.map())
  }

  #use(bytes: Uint8Array): void {
    this.#halves = new Int32Array(bytes.buffer, bytes.byteOffset)
    this.numbers = new Float64Array(bytes.buffer, bytes.byteOffset)
    this.amounts = new BigInt64Array(bytes.buffer, bytes.byteOffset)
    // While another process doubles it, what is mapped may be shorter than the header says.
    this.#capacity = Math.min(this.numbers[CAPACITY] ?? 0, Math.floor(bytes.byteLength / RECORD_BYTES))
  }

  /** The seed is secret, so nobody can choose names that collide. */
  #hash(kind: number, name: string): Hash {
    const text = `${kind}\n${name}`
    const first = Bun.hash.wyhash(text, BigInt.asUintN(64, this.amounts[SEED] ?? 0n))
    const second = Bun.hash.wyhash(text, BigInt.asUintN(64, this.amounts[SEED + 1] ?? 0n))
    return [BigInt.asIntN(64, first), BigInt.asIntN(64, second)]
  }

  /** The place of the record with this name, or the free one where it would go. */
  #slotOf([first, second]: Hash): number {
    const sought = new Int32Array(BigInt64Array.of(first, second).buffer)
    return this.#slotLike(sought, 0)
  }

  /** The same for a name that stands in a field and the next. */
  #slotLike(sought: Int32Array, field: number): number {
    const halves = this.#halves
    const from = 2 * field
    let index = 1 + (((sought[from] ?? 0) >>> 0) % (this.#capacity - 1))
    for (;;) {
      if (this.serialAt(index) === 0) return index
      const at = 2 * FIELDS * index
      let same = 0
      while (same < NAME_HALVES && halves[at + same] === sought[from + same]) same += 1
      if (same === NAME_HALVES) return index
      index = index + 1 === this.#capacity ? 1 : index + 1
    }
  }

  #create(index: number, kind: number, [first, second]: Hash): number {
    const at = index * FIELDS
    this.amounts[at] = first
    this.amounts[at + 1] = second
    this.numbers[at + SERIAL] = this.newSerial()
    this.numbers[at + KIND] = kind
    this.numbers[USED] = (this.numbers[USED] ?? 0) + 1
    return index
  }

  /** Drops what is not in use, and doubles the table when it would still be half full. */
  #rebuild(): void {
    const before = this.#halves.slice(0, this.#capacity * FIELDS * 2)
    const kept: number[] = []
    for (let index = 1; index < this.#capacity; index += 1) {
      const serial = this.serialAt(index)
      if (serial > this.#lastBefore || (serial !== 0 && this.#isInUse(index))) kept.push(index)
    }
    if (kept.length > this.#capacity / 2) this.#grow()
    this.numbers.fill(0, FIELDS, this.#capacity * FIELDS)
    this.numbers[USED] = kept.length
    for (const index of kept) {
      const from = 2 * FIELDS * index
      const to = 2 * FIELDS * this.#slotLike(before, from / 2)
      for (let half = 0; half < 2 * FIELDS; half += 1) this.#halves[to + half] = before[from + half] ?? 0
    }
  }

  /**
   * The new part is written before it is mapped: memory that is not there would end the process. When there is no room,
   * the table is filled further than is good for it.
   */
  #grow(): void {
    const capacity = this.#capacity * 2
    try {
      this.#file.extend(capacity * RECORD_BYTES)
      const bytes = this.#file.map()
      this.numbers[CAPACITY] = capacity
      this.#use(bytes)
      this.#mostFilled = MOST_FILLED
    } catch {
      this.#mostFilled = MOST_EVER_FILLED
    }
  }
}

/** Where a record stood when it was used last. */
export class Place {
  readonly #table: RecordTable
  readonly #kind: number
  readonly #name: string
  #index = 0
  #serial = -1

  constructor(table: RecordTable, kind: number, name: string) {
    this.#table = table
    this.#kind = kind
    this.#name = name
  }

  get serial(): number {
    return this.#serial
  }

  get index(): number {
    return this.#index
  }

  /** The place of its first field; the record is created if it is missing. Opening another one may move this one. */
  open(): number {
    if (!this.#isThere()) this.#remember(this.#table.open(this.#kind, this.#name))
    return this.#index * FIELDS
  }

  /** The same; 0 if it is missing. */
  find(): number {
    if (!this.#isThere()) this.#remember(this.#table.find(this.#kind, this.#name))
    return this.#index * FIELDS
  }

  #isThere(): boolean {
    return this.#index !== 0 && this.#table.serialAt(this.#index) === this.#serial
  }

  #remember(index: number): void {
    this.#index = index
    this.#serial = index === 0 ? -1 : this.#table.serialAt(index)
  }
}

/** A 64-bit integer: the upper half with its sign, and the lower one without. */
export interface Halves {
  readonly high: number
  readonly low: number
}

const HALF = 2 ** 32

export function halvesOf(amount: bigint): Halves {
  const number = Number(amount)
  if (Number.isSafeInteger(number)) return { high: Math.floor(number / HALF), low: number >>> 0 }
  return { high: Number(BigInt.asIntN(32, amount >> 32n)), low: Number(BigInt.asUintN(32, amount)) }
}

type Hash = readonly [bigint, bigint]

/** Where a table stands: a file that every process maps into its memory. */
export interface TableFile {
  /** The file as it is now. */
  map(): Uint8Array
  /** Makes the file this long. Throws when there is no room. */
  extend(bytes: number): void
}

export const FIELDS = 16
const RECORD_BYTES = FIELDS * 8
/** The first field that belongs to the owner of a record. */
export const FIRST_FIELD = 4
const NAME_HALVES = 4
const SERIAL = 2
const KIND = 3

// Fields of the header. The lock is the lower half of the first one.
const LOCK = 0
const CAPACITY = 1
const USED = 2
const LAST_SERIAL = 3
const GENERATION = 4
const CONFIGURATION_VERSION = 5
const SEED = 6
/** Changes with everything that stands in a table, here and in `account-records.ts`. */
const LAYOUT = 8
const CURRENT_LAYOUT = 1

const UNLOCKED = 0
const LOCK_TRIES = 500
const RETRY_MS = 1
const MOST_RETRIES = 5_000
const MOST_FILLED = 0.75
const MOST_EVER_FILLED = 0.9
const FIRST_CAPACITY = 4_096

/** The bytes of a new table. */
export function newTable(capacity = FIRST_CAPACITY): Uint8Array {
  const bytes = new Uint8Array(capacity * RECORD_BYTES)
  const numbers = new Float64Array(bytes.buffer)
  numbers[CAPACITY] = capacity
  numbers[LAYOUT] = CURRENT_LAYOUT
  crypto.getRandomValues(bytes.subarray(SEED * 8, (SEED + 2) * 8))
  return bytes
}
