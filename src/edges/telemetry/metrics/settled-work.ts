import { formatUsdt } from '../../../vocabulary/money.ts'
import type { Attempt, Outcome, Settlement } from '../../../vocabulary/settlement.ts'
import { Histogram } from './histogram.ts'
import { type ReadingsBuilder, writeLabels } from './readings.ts'

const TOKEN_KINDS = ['input', 'cacheRead', 'cacheWrite', 'output'] as const
type TokenCounts = Record<(typeof TOKEN_KINDS)[number], number>

/** Pairs of model and supplier with series of their own. Each pair has about seventy lines. */
const MAX_PAIRS = 200
const MAX_SUPPLIERS = 100
const OTHER = 'other'

const PAIR_HISTOGRAMS = [
  'turnpike_first_byte_seconds',
  'turnpike_duration_seconds',
  'turnpike_output_tokens_per_second',
  'turnpike_chunk_gap_seconds',
] as const

/** Totals of one model at one supplier. */
class Work {
  /** Their labels, written once: writing them for every settlement would take longer than counting it. */
  readonly place: string
  readonly outcomes = new Map<Outcome, number>()
  readonly tokens: TokenCounts = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
  images = 0
  spentNano = 0n
  costNano = 0n
  readonly turnpike_first_byte_seconds = new Histogram('turnpike_first_byte_seconds')
  readonly turnpike_duration_seconds = new Histogram('turnpike_duration_seconds')
  readonly turnpike_output_tokens_per_second = new Histogram('turnpike_output_tokens_per_second')
  readonly turnpike_chunk_gap_seconds = new Histogram('turnpike_chunk_gap_seconds')

  constructor(model: string, supplier: string) {
    this.place = writeLabels({ model, supplier })
  }

  note(settlement: Settlement): void {
    const { outcome, usage, amountNano, costNano, supplier, firstByteMs, durationMs } = settlement
    countOne(this.outcomes, outcome)
    for (const kind of TOKEN_KINDS) this.tokens[kind] += usage[kind]
    this.images += usage.images
    this.spentNano += amountNano
    this.costNano += costNano
    if (supplier === null || firstByteMs === null) return
    this.turnpike_first_byte_seconds.observe(firstByteMs / 1_000)
    this.turnpike_duration_seconds.observe(durationMs / 1_000)
    const streamedMs = durationMs - firstByteMs
    if (settlement.stream && outcome === 'completed' && usage.output > 0 && streamedMs > 0)
      this.turnpike_output_tokens_per_second.observe(usage.output / (streamedMs / 1_000))
  }
}

/** Totals of one account. */
interface AccountWork {
  readonly outcomes: Map<Outcome, number>
  readonly errors: Map<string, number>
  readonly tokens: TokenCounts
  spentNano: bigint
}

export interface SettledWorkParts {
  /** How many accounts have series of their own. */
  readonly maxAccounts: number
  /** The supplier as a label: suppliers that customers have named share one. */
  readonly supplierLabel: (supplierId: string) => string
}

/** Counts settlements by model and supplier, and by account. All of them are bounded: what comes later is `other`. */
export class SettledWork {
  readonly #parts: SettledWorkParts
  readonly #works = new Map<string, Map<string, Work>>()
  #pairs = 0
  readonly #attempts = new Map<string, Map<Attempt['result'], number>>()
  readonly #accounts = new Map<string, AccountWork>()

  constructor(parts: SettledWorkParts) {
    this.#parts = parts
  }

  /** The accounts that have series of their own. */
  get accountIds(): readonly string[] {
    return [...this.#accounts.keys()].filter((id) => id !== OTHER)
  }

  note(settlement: Settlement): void {
    const { model, supplier, accountId, outcome, usage, amountNano, attempts } = settlement
    this.#workOf(model, supplier).note(settlement)
    for (const attempt of attempts) countOne(this.#resultsOf(attempt.supplier), attempt.result)
    const account = this.#accountOf(accountId)
    if (account === null) return
    countOne(account.outcomes, outcome)
    for (const kind of TOKEN_KINDS) account.tokens[kind] += usage[kind]
    account.spentNano += amountNano
  }

  noteError(accountId: string, code: string): void {
    const account = this.#accountOf(accountId)
    if (account !== null) countOne(account.errors, code)
  }

  /** Where the gaps of streams of this model at this supplier are counted. */
  gapsOf(model: string, supplier: string): Histogram {
    return this.#workOf(model, supplier).turnpike_chunk_gap_seconds
  }

  addTo(page: ReadingsBuilder): void {
    for (const suppliers of this.#works.values()) {
      for (const work of suppliers.values()) addWork(work, page)
    }
    for (const [supplier, results] of this.#attempts) {
      for (const [result, count] of results) page.add('turnpike_attempts_total', { supplier, result }, count)
    }
    for (const [account, work] of this.#accounts) addAccount(account, work, page)
  }

  #workOf(model: string, supplierId: string | null): Work {
    const supplier = supplierId === null ? '' : this.#parts.supplierLabel(supplierId)
    return this.#works.get(model)?.get(supplier) ?? this.#addWork(model, supplier)
  }

  #addWork(model: string, supplier: string): Work {
    if (this.#pairs >= MAX_PAIRS && model !== OTHER) return this.#addOther()
    this.#pairs += 1
    const work = new Work(model, supplier)
    const suppliers = this.#works.get(model) ?? new Map<string, Work>()
    this.#works.set(model, suppliers.set(supplier, work))
    return work
  }

  #addOther(): Work {
    return this.#works.get(OTHER)?.get(OTHER) ?? this.#addWork(OTHER, OTHER)
  }

  #resultsOf(supplierId: string): Map<Attempt['result'], number> {
    const supplier = this.#parts.supplierLabel(supplierId)
    const known = this.#attempts.get(supplier)
    if (known !== undefined) return known
    if (this.#attempts.size >= MAX_SUPPLIERS && supplier !== OTHER) return this.#resultsOf(OTHER)
    const results = new Map<Attempt['result'], number>()
    this.#attempts.set(supplier, results)
    return results
  }

  #accountOf(accountId: string): AccountWork | null {
    const known = this.#accounts.get(accountId)
    if (known !== undefined) return known
    const { maxAccounts } = this.#parts
    if (maxAccounts === 0) return null
    if (this.#accounts.size >= maxAccounts && accountId !== OTHER) return this.#accountOf(OTHER)
    const tokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
    const work = { outcomes: new Map(), errors: new Map(), tokens, spentNano: 0n }
    this.#accounts.set(accountId, work)
    return work
  }
}

export function countOne<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** Kinds that were never used are left out. */
function addWork(work: Work, page: ReadingsBuilder): void {
  const { place, outcomes, tokens, images, spentNano, costNano } = work
  for (const [outcome, count] of outcomes)
    page.addWritten('turnpike_settlements_total', `${place},outcome="${outcome}"`, count)
  for (const kind of TOKEN_KINDS) {
    if (tokens[kind] > 0) page.addWritten('turnpike_tokens_total', `${place},kind="${kind}"`, tokens[kind])
  }
  if (images > 0) page.addWritten('turnpike_images_total', place, images)
  // Both or neither: a query that subtracts one from the other needs both.
  if (spentNano !== 0n || costNano !== 0n) {
    page.addWritten('turnpike_spend_usdt_total', place, usdt(spentNano))
    page.addWritten('turnpike_cost_usdt_total', place, usdt(costNano))
  }
  for (const name of PAIR_HISTOGRAMS) {
    const histogram = work[name]
    if (!histogram.isEmpty)
      page.addWritten(name, place, { counts: histogram.counts.slice(), sum: histogram.sum })
  }
}

function addAccount(
  account: string,
  { outcomes, errors, tokens, spentNano }: AccountWork,
  page: ReadingsBuilder,
) {
  for (const [outcome, count] of outcomes)
    page.add('turnpike_account_requests_total', { account, outcome }, count)
  for (const [code, count] of errors) page.add('turnpike_account_errors_total', { account, code }, count)
  for (const kind of TOKEN_KINDS) {
    if (tokens[kind] > 0) page.add('turnpike_account_tokens_total', { account, kind }, tokens[kind])
  }
  page.add('turnpike_account_spend_usdt_total', { account }, usdt(spentNano))
}

export function usdt(nano: bigint): number {
  return Number(formatUsdt(nano))
}
