import { isOver, type Window } from '../../../rules/limits/window.ts'
import type { HoldDecision, HoldDemand } from '../../../serve/ports/admissions.ts'
import type { AccountUpdate, OpenHold } from '../../../serve/ports/shared-limits.ts'
import type { KeyTotals, PeriodTotal } from '../../../serve/ports/shared-storage.ts'
import { USAGE_PERIODS } from '../../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import { decideHold, type Room, roomInLimit } from '../decide-hold.ts'
import { begunBy, newerTotals, spentIn } from '../key-totals.ts'
import { SharedWindows, type WindowStore } from '../shared-windows.ts'
import { FIELDS, FIRST_FIELD, halvesOf, Place, type RecordTable } from './records.ts'

/** The kinds of records, and the fields of each. A field of more than one value is its first. */
const ACCOUNT = 1
/** What all nodes hold in it. */
const HELD = FIRST_FIELD
const BALANCE = FIRST_FIELD + 1
/** One more than the version of the balance, so that 0 is older than every version. */
const VERSION = FIRST_FIELD + 2
/** The generation in which the account was loaded. */
const LOADED_IN = FIRST_FIELD + 3
/** Changes when the account must be loaded again: what was known of its keys counts no more. */
const LOADING = FIRST_FIELD + 4
/** When it was used last, in milliseconds. */
const USED_AT = FIRST_FIELD + 5

const KEY = 2
// HELD as in an account.
/** The LOADING of the account when the key was loaded, and when its totals were written. */
const KEY_LOADED_AT = FIRST_FIELD + 1
const TOTALS_AT = FIRST_FIELD + 2
const KEY_USED_AT = FIRST_FIELD + 3
const SPENT = FIRST_FIELD + 4
const START_DAYS = FIRST_FIELD + 8

/** What one node holds in an account, or on a key, so that it can be released when the node is gone. */
const NODE_IN_ACCOUNT = 3
const NODE_ON_KEY = 4
// HELD as in an account.
const NODE = FIRST_FIELD + 1
const HOLDS = FIRST_FIELD + 2
/** The name of the account or key. */
const OWNER_NAME = FIRST_FIELD + 3

const WINDOW = 5
const WINDOW_SPENT = FIRST_FIELD
const OPENED_AT = FIRST_FIELD + 1

/** Whether a record must be kept when the table gets full. Money that was last used before then is read again. */
export function isInUse(
  table: RecordTable,
  index: number,
  { nowMs, sinceMs }: { readonly nowMs: number; readonly sinceMs: number },
): boolean {
  const at = index * FIELDS
  switch (table.kindAt(index)) {
    case WINDOW:
      return !isOver(windowAt(table, at), nowMs)
    case NODE_IN_ACCOUNT:
      return table.numbers[at + HOLDS] !== 0
    case NODE_ON_KEY:
      return table.amounts[at + HELD] !== 0n
    case KEY:
      return table.amounts[at + HELD] !== 0n || (table.numbers[at + KEY_USED_AT] ?? 0) > sinceMs
    default:
      return table.amounts[at + HELD] !== 0n || (table.numbers[at + USED_AT] ?? 0) > sinceMs
  }
}

function windowAt(table: RecordTable, at: number): Window {
  return {
    spent: table.numbers[at + WINDOW_SPENT] ?? 0,
    openedAtMs: table.numbers[at + OPENED_AT] ?? 0,
  }
}

// Places of windows that are over are forgotten now and then.
const MOST_PLACES = 1_000

/** The windows of an account and its keys, or of supply. */
export class WindowRecords implements WindowStore {
  readonly #table: RecordTable
  readonly #owner: string
  readonly #places = new Map<string, Place>()

  constructor(table: RecordTable, owner: string) {
    this.#table = table
    this.#owner = owner
  }

  get(id: string): Window | undefined {
    const at = this.#place(id).find()
    return at === 0 ? undefined : windowAt(this.#table, at)
  }

  set(id: string, { spent, openedAtMs }: Window): void {
    const at = this.#place(id).open()
    this.#table.numbers[at + WINDOW_SPENT] = spent
    this.#table.numbers[at + OPENED_AT] = openedAtMs
  }

  #place(id: string): Place {
    const known = this.#places.get(id)
    if (known !== undefined) return known
    if (this.#places.size === MOST_PLACES) this.#places.clear()
    const place = new Place(this.#table, WINDOW, `${this.#owner}\n${id}`)
    this.#places.set(id, place)
    return place
  }
}

interface DecisionFacts {
  readonly ownNano: NanoUsdt
  readonly today: number
}

interface KeyPlaces {
  readonly record: Place
  readonly ofNode: Place
}

/** The money of one account, as one node sees and changes it. */
export class AccountRecords {
  readonly #table: RecordTable
  readonly #node: number
  readonly #id: string
  readonly #record: Place
  readonly #ofNode: Place
  readonly #keys = new Map<string, KeyPlaces>()
  /** The holds of this node. */
  readonly #holds = new Map<string, OpenHold>()
  #nowMs = 0
  readonly windows: SharedWindows

  constructor(table: RecordTable, node: number, id: string) {
    this.#table = table
    this.#node = node
    this.#id = id
    this.#record = new Place(table, ACCOUNT, id)
    this.#ofNode = new Place(table, NODE_IN_ACCOUNT, `${node}\n${id}`)
    this.windows = new SharedWindows(new WindowRecords(table, id))
  }

  /** Whether nothing is lost when this object is forgotten. */
  get isIdle(): boolean {
    return this.#holds.size === 0
  }

  /**
   * Call at the beginning of each step on the account's money. Creates what is missing, and forgets holds that were released
   * for this node.
   */
  begin(nowMs: number): void {
    this.#nowMs = nowMs
    const account = this.#record.open()
    this.#table.numbers[account + USED_AT] = nowMs
    if (this.#table.numbers[account + LOADING] === 0) {
      this.#table.numbers[account + LOADING] = this.#table.newSerial()
    }
    if (this.#openOfNode()) this.#holds.clear()
  }

  isLoadedIn(generation: number): boolean {
    return this.#table.numbers[this.#record.open() + LOADED_IN] === generation
  }

  knowsKey(keyId: string): boolean {
    const key = this.#key(keyId).record.find()
    return key !== 0 && this.#table.numbers[key + KEY_LOADED_AT] === this.#loading()
  }

  get balanceNano(): NanoUsdt {
    return this.#table.amounts[this.#record.open() + BALANCE] ?? 0n
  }

  /** What all nodes hold. */
  get heldNano(): NanoUsdt {
    return this.#table.amounts[this.#record.open() + HELD] ?? 0n
  }

  heldOn(keyId: string): NanoUsdt {
    const key = this.#key(keyId).record.find()
    return key === 0 ? 0n : (this.#table.amounts[key + HELD] ?? 0n)
  }

  totalsOf(keyId: string): KeyTotals | null {
    const key = this.#key(keyId).record.find()
    if (key === 0 || this.#table.numbers[key + TOTALS_AT] !== this.#loading()) return null
    const totalOf = (period: number): PeriodTotal => ({
      startDay: this.#table.numbers[key + START_DAYS + period] ?? 0,
      spentNano: this.#table.amounts[key + SPENT + period] ?? 0n,
    })
    const totals = Object.fromEntries(USAGE_PERIODS.map((period, position) => [period, totalOf(position)]))
    return { keyId, totals: totals as KeyTotals['totals'] }
  }

  /** What this node holds for a request. */
  heldFor(requestId: string): NanoUsdt | null {
    return this.#holds.get(requestId)?.amountNano ?? null
  }

  /** `ownNano`: what the request already holds, which is room for it. */
  decide(keyId: string, hold: HoldDemand, { ownNano, today }: DecisionFacts): HoldDecision {
    const { creditLineNano, usageLimit } = hold
    let keyRoom: Room = null
    if (usageLimit !== null) {
      const spentNano = spentIn(this.totalsOf(keyId), usageLimit.period, today)
      keyRoom = roomInLimit(usageLimit.amountNano, spentNano, this.heldOn(keyId) - ownNano)
    }
    const balanceRoom =
      creditLineNano === null ? null : this.balanceNano - this.heldNano + ownNano + creditLineNano
    return decideHold(hold, keyRoom, balanceRoom)
  }

  place(hold: OpenHold): void {
    const { requestId, keyId, amountNano } = hold
    const known = this.#holds.get(requestId)
    if (known !== undefined && known.keyId !== keyId) this.#remove(requestId)
    const heldNano = known?.keyId === keyId ? known.amountNano : null
    this.#openAll(keyId)
    this.#holds.set(requestId, { requestId, keyId, amountNano })
    if (heldNano === null) this.#count(keyId, amountNano, 1)
    else this.#count(keyId, amountNano - heldNano, 0)
  }

  settle(settled: readonly OpenHold[]): void {
    for (const hold of settled) if (this.#holds.has(hold.requestId)) this.place(hold)
  }

  learn({ stored, balance, keys, isLoad }: AccountUpdate, generation: number, today: number): void {
    for (const requestId of stored) this.#remove(requestId)
    const { numbers, amounts } = this.#table
    const account = this.#record.open()
    if (balance !== null && balance.version >= (amounts[account + VERSION] ?? 0n)) {
      amounts[account + BALANCE] = balance.balanceNano
      amounts[account + VERSION] = balance.version + 1n
    }
    if (isLoad) numbers[account + LOADED_IN] = generation
    for (const totals of keys) this.#learnKey(begunBy(today, totals), isLoad)
  }

  assert(holds: readonly OpenHold[], unsure: readonly string[]): void {
    const kept = new Set(unsure)
    for (const hold of holds) kept.add(hold.requestId)
    for (const requestId of [...this.#holds.keys()]) if (!kept.has(requestId)) this.#remove(requestId)
    for (const hold of holds) this.place(hold)
  }

  #learnKey(begun: KeyTotals, isLoad: boolean): void {
    const { keyId } = begun
    const { totals } = newerTotals(this.totalsOf(keyId), begun)
    const key = this.#openKey(keyId)
    const { numbers, amounts } = this.#table
    for (const [position, period] of USAGE_PERIODS.entries()) {
      numbers[key + START_DAYS + position] = totals[period].startDay
      amounts[key + SPENT + position] = totals[period].spentNano
    }
    numbers[key + TOTALS_AT] = this.#loading()
    if (isLoad) numbers[key + KEY_LOADED_AT] = this.#loading()
  }

  #remove(requestId: string): void {
    const hold = this.#holds.get(requestId)
    if (hold === undefined) return
    this.#openAll(hold.keyId)
    this.#holds.delete(requestId)
    this.#count(hold.keyId, -hold.amountNano, -1)
  }

  /** Creates all that an amount is added to. It may fail, so call it before anything is changed. */
  #openAll(keyId: string): void {
    this.#openKey(keyId)
    this.#openOfNode()
    // The last may have moved or dropped what was opened before it.
    this.#openKey(keyId)
  }

  #count(keyId: string, changeNano: NanoUsdt, holds: 1 | 0 | -1): void {
    const { record, ofNode } = this.#key(keyId)
    const change = halvesOf(changeNano)
    const inAccount = this.#ofNode.open()
    for (const at of [this.#record.open(), inAccount, record.open(), ofNode.open()]) {
      this.#table.add(at + HELD, change)
    }
    this.#table.numbers[inAccount + HOLDS] = (this.#table.numbers[inAccount + HOLDS] ?? 0) + holds
  }

  #loading(): number {
    return this.#table.numbers[this.#record.open() + LOADING] ?? 0
  }

  #openOfNode(): boolean {
    return this.#openHeld(this.#ofNode, this.#record)
  }

  /** The place of the key's record. What this node holds on it has a record then, too. */
  #openKey(keyId: string): number {
    const { record, ofNode } = this.#key(keyId)
    // In use from here on, so that it is not dropped when the next one needs its place.
    this.#table.numbers[record.open() + KEY_USED_AT] = this.#nowMs
    this.#openHeld(ofNode, record)
    return record.open()
  }

  /** Opens the record of what this node holds. Returns whether it is another one than before. */
  #openHeld(ofNode: Place, owner: Place): boolean {
    const { serial } = ofNode
    ofNode.open()
    if (ofNode.serial === serial) return false
    owner.open()
    const at = ofNode.open()
    this.#table.numbers[at + NODE] = this.#node
    this.#table.writeName(owner.index, at + OWNER_NAME)
    return true
  }

  #key(keyId: string): KeyPlaces {
    const known = this.#keys.get(keyId)
    if (known !== undefined) return known
    // Places are found again.
    if (this.#keys.size === MOST_PLACES) this.#keys.clear()
    const name = `${this.#id}\n${keyId}`
    const created = {
      record: new Place(this.#table, KEY, name),
      ofNode: new Place(this.#table, NODE_ON_KEY, `${this.#node}\n${name}`),
    }
    this.#keys.set(keyId, created)
    return created
  }
}

/**
 * Releases all holds of a node that is gone and returns how many there were. Their accounts must be loaded again: the
 * node may have stored costs that it did not report.
 */
export function releaseHolds(table: RecordTable, node: number): number {
  let released = 0
  const release = (kind: number, change: (holds: number, owner: number) => void) =>
    table.each(kind, (index) => {
      const at = index * FIELDS
      if (table.numbers[at + NODE] !== node) return
      const owner = table.findNamed(at + OWNER_NAME) * FIELDS
      const heldNano = table.amounts[at + HELD] ?? 0n
      if (owner !== 0) table.amounts[owner + HELD] = (table.amounts[owner + HELD] ?? 0n) - heldNano
      change(table.numbers[at + HOLDS] ?? 0, owner)
      table.amounts[at + HELD] = 0n
      table.numbers[at + HOLDS] = 0
      table.renew(index)
    })
  release(NODE_ON_KEY, () => {})
  release(NODE_IN_ACCOUNT, (holds, account) => {
    if (holds === 0 || account === 0) return
    released += holds
    table.numbers[account + LOADED_IN] = 0
    table.numbers[account + LOADING] = table.newSerial()
  })
  return released
}
