import type { RequestLine } from '../../gateway/ports/log.ts'
import { formatUsdt } from '../../vocabulary/money.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'

/** What is read at the moment somebody asks. */
export interface Gauges {
  readonly liveStreams: number
  readonly journalWaiting: number
  readonly residentBytes: number
  readonly cpuSeconds: number
}

// Upper ends in seconds; a model that thinks takes minutes to its first byte.
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const

interface Histogram {
  readonly counts: number[]
  sumSeconds: number
  count: number
}

interface SpendCounter {
  readonly labels: string
  nano: bigint
}

/**
 * Counters for Prometheus. Requests are counted where they are logged and all else when settlements are stored, so the
 * request path does nothing for it. Labels are names from the configuration, never anything a client made up.
 */
export class Metrics {
  readonly #requests = new Map<number, number>()
  readonly #counters = new Map<string, number>()
  readonly #spend = new Map<string, SpendCounter>()
  readonly #firstByte = new Map<string, Histogram>()

  noteRequest({ status }: RequestLine): void {
    this.#requests.set(status, (this.#requests.get(status) ?? 0) + 1)
  }

  noteSettlements(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) this.#note(settlement)
  }

  render(gauges: Gauges): string {
    const families: Family[] = [
      counters('turnpike_http_requests_total', 'Requests answered, by status.', this.#requestLines()),
      ...COUNTED.map(([name, help]) => counters(name, help, this.#linesOf(name))),
      counters('turnpike_spend_usdt_total', 'Charged, in USDT.', this.#spendLines()),
      {
        name: 'turnpike_first_byte_seconds',
        help: 'Time from admission to the first byte, by supplier.',
        type: 'histogram',
        lines: [...this.#firstByte].flatMap(([supplier, each]) => histogramLines(supplier, each)),
      },
      ...gaugeFamilies(gauges),
    ]
    return families.map(renderFamily).join('')
  }

  #note(settlement: Settlement): void {
    const { model, supplier, outcome, usage, amountNano, firstByteMs, attempts } = settlement
    const place = `model="${escapeLabel(model)}",supplier="${escapeLabel(supplier ?? '')}"`
    this.#add(`turnpike_settlements_total{${place},outcome="${outcome}"}`, 1)
    for (const kind of TOKEN_KINDS) {
      if (usage[kind] > 0) this.#add(`turnpike_tokens_total{${place},kind="${kind}"}`, usage[kind])
    }
    if (usage.images > 0) this.#add(`turnpike_images_total{${place}}`, usage.images)
    for (const attempt of attempts) {
      this.#add(
        `turnpike_attempts_total{supplier="${escapeLabel(attempt.supplier)}",result="${attempt.result}"}`,
        1,
      )
    }
    if (amountNano !== 0n) this.#addSpend(place, amountNano)
    if (supplier !== null && firstByteMs !== null) this.#observe(supplier, firstByteMs / 1_000)
  }

  #add(name: string, amount: number): void {
    this.#counters.set(name, (this.#counters.get(name) ?? 0) + amount)
  }

  #addSpend(labels: string, nano: bigint): void {
    const counter = this.#spend.get(labels) ?? { labels, nano: 0n }
    counter.nano += nano
    this.#spend.set(labels, counter)
  }

  #observe(supplier: string, seconds: number): void {
    const known = this.#firstByte.get(supplier)
    const histogram = known ?? { counts: BUCKETS.map(() => 0), sumSeconds: 0, count: 0 }
    if (known === undefined) this.#firstByte.set(supplier, histogram)
    for (const [index, end] of BUCKETS.entries()) {
      if (seconds <= end) histogram.counts[index] = (histogram.counts[index] ?? 0) + 1
    }
    histogram.sumSeconds += seconds
    histogram.count += 1
  }

  #requestLines(): string[] {
    return [...this.#requests].map(
      ([status, count]) => `turnpike_http_requests_total{status="${status}"} ${count}`,
    )
  }

  #linesOf(name: string): string[] {
    return [...this.#counters]
      .filter(([line]) => line.startsWith(`${name}{`))
      .map(([line, count]) => `${line} ${count}`)
  }

  #spendLines(): string[] {
    return [...this.#spend.values()].map(
      ({ labels, nano }) => `turnpike_spend_usdt_total{${labels}} ${formatUsdt(nano)}`,
    )
  }
}

const TOKEN_KINDS = ['input', 'cacheRead', 'cacheWrite', 'output'] as const

const COUNTED = [
  ['turnpike_settlements_total', 'Requests settled, by model, supplier and outcome.'],
  ['turnpike_attempts_total', 'Calls to suppliers, by result.'],
  ['turnpike_tokens_total', 'Tokens used, in disjoint kinds.'],
  ['turnpike_images_total', 'Pictures delivered.'],
] as const

interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly lines: readonly string[]
}

function counters(name: string, help: string, lines: readonly string[]): Family {
  return { name, help, type: 'counter', lines }
}

function gaugeFamilies({ liveStreams, journalWaiting, residentBytes, cpuSeconds }: Gauges): Family[] {
  const gauge = (name: string, help: string, value: number): Family => ({
    name,
    help,
    type: 'gauge',
    lines: [`${name} ${value}`],
  })
  return [
    gauge('turnpike_live_streams', 'Streams under way.', liveStreams),
    gauge('turnpike_journal_waiting', 'Settlements not yet in the database.', journalWaiting),
    gauge('process_resident_memory_bytes', 'Resident memory.', residentBytes),
    counters('process_cpu_seconds_total', 'Processor time used.', [
      `process_cpu_seconds_total ${cpuSeconds}`,
    ]),
  ]
}

function histogramLines(supplier: string, { counts, sumSeconds, count }: Histogram): string[] {
  const label = `supplier="${escapeLabel(supplier)}"`
  const name = 'turnpike_first_byte_seconds'
  return [
    ...BUCKETS.map((end, index) => `${name}_bucket{${label},le="${end}"} ${counts[index]}`),
    `${name}_bucket{${label},le="+Inf"} ${count}`,
    `${name}_sum{${label}} ${sumSeconds}`,
    `${name}_count{${label}} ${count}`,
  ]
}

function renderFamily({ name, help, type, lines }: Family): string {
  if (lines.length === 0) return ''
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
}

function escapeLabel(label: string): string {
  return label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
