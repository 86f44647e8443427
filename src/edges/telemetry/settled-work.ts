import { formatUsdt } from '../../vocabulary/money.ts'
import type { Attempt, Outcome, Settlement } from '../../vocabulary/settlement.ts'
import { counters, escapeLabel, type Family } from './families.ts'

const TOKEN_KINDS = ['input', 'cacheRead', 'cacheWrite', 'output'] as const

/** Totals of one supplier and model. */
interface Work {
  /** Their labels. */
  readonly place: string
  readonly outcomes: Map<Outcome, number>
  readonly tokens: Record<(typeof TOKEN_KINDS)[number], number>
  images: number
  spentNano: bigint
  costNano: bigint
}

/**
 * Counts settlements by model and supplier, in nested maps: building a label for every settlement would take longer than
 * counting it.
 */
export class SettledWork {
  readonly #works = new Map<string, Map<string | null, Work>>()
  readonly #attempts = new Map<string, Map<Attempt['result'], number>>()

  note({ model, supplier, outcome, usage, amountNano, costNano, attempts }: Settlement): void {
    const work = this.#workOf(model, supplier)
    countOne(work.outcomes, outcome)
    for (const kind of TOKEN_KINDS) work.tokens[kind] += usage[kind]
    work.images += usage.images
    work.spentNano += amountNano
    work.costNano += costNano
    for (const attempt of attempts) countOne(this.#resultsOf(attempt.supplier), attempt.result)
  }

  families(): Family[] {
    const works = [...this.#works.values()].flatMap((suppliers) => [...suppliers.values()])
    return [
      counters(
        'turnpike_settlements_total',
        'Requests settled, by model, supplier and outcome.',
        works.flatMap(outcomeLines),
      ),
      counters('turnpike_attempts_total', 'Calls to suppliers, by result.', this.#attemptLines()),
      counters('turnpike_tokens_total', 'Tokens used, in disjoint kinds.', works.flatMap(tokenLines)),
      counters('turnpike_images_total', 'Images delivered.', works.flatMap(imageLines)),
      counters('turnpike_spend_usdt_total', 'Charged to accounts, in USDT.', works.flatMap(spendLines)),
      counters('turnpike_cost_usdt_total', 'Charged by suppliers, in USDT.', works.flatMap(costLines)),
    ]
  }

  #workOf(model: string, supplier: string | null): Work {
    const known = this.#works.get(model)?.get(supplier)
    if (known !== undefined) return known
    const place = `model="${escapeLabel(model)}",supplier="${escapeLabel(supplier ?? '')}"`
    const tokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
    const work: Work = { place, outcomes: new Map(), tokens, images: 0, spentNano: 0n, costNano: 0n }
    const suppliers = this.#works.get(model) ?? new Map<string | null, Work>()
    this.#works.set(model, suppliers.set(supplier, work))
    return work
  }

  #resultsOf(supplier: string): Map<Attempt['result'], number> {
    const known = this.#attempts.get(supplier)
    if (known !== undefined) return known
    const results = new Map<Attempt['result'], number>()
    this.#attempts.set(supplier, results)
    return results
  }

  #attemptLines(): string[] {
    return [...this.#attempts].flatMap(([supplier, results]) =>
      [...results].map(
        ([result, count]) =>
          `turnpike_attempts_total{supplier="${escapeLabel(supplier)}",result="${result}"} ${count}`,
      ),
    )
  }
}

function countOne<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function outcomeLines({ place, outcomes }: Work): string[] {
  return [...outcomes].map(
    ([outcome, count]) => `turnpike_settlements_total{${place},outcome="${outcome}"} ${count}`,
  )
}

/** Kinds that were never used are left out. */
function tokenLines({ place, tokens }: Work): string[] {
  return TOKEN_KINDS.filter((kind) => tokens[kind] > 0).map(
    (kind) => `turnpike_tokens_total{${place},kind="${kind}"} ${tokens[kind]}`,
  )
}

function imageLines({ place, images }: Work): string[] {
  return images > 0 ? [`turnpike_images_total{${place}} ${images}`] : []
}

function spendLines(work: Work): string[] {
  return isFree(work) ? [] : [`turnpike_spend_usdt_total{${work.place}} ${formatUsdt(work.spentNano)}`]
}

function costLines(work: Work): string[] {
  return isFree(work) ? [] : [`turnpike_cost_usdt_total{${work.place}} ${formatUsdt(work.costNano)}`]
}

/** Whether neither has moved. A query that subtracts one from the other needs both. */
function isFree({ spentNano, costNano }: Work): boolean {
  return spentNano === 0n && costNano === 0n
}
