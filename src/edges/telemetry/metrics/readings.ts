import { definitionOf, type LabelsOf, METRIC_NAMES, type MetricName } from './metric-table.ts'

export interface HistogramReading {
  /** By upper bound, and one for values above all of them. */
  readonly counts: readonly number[]
  readonly sum: number
}

/**
 * The values of all metrics at one moment, by name and then by labels as they are written. Plain objects, because workers
 * send them to their parent.
 */
export type Readings = { [Name in MetricName]?: Record<string, number | HistogramReading> }

/** Collects the values of one process. */
export class ReadingsBuilder {
  readonly readings: Readings = {}

  /** Two values with the same labels are added up, as of a model that is called like the bucket for all others. */
  add<Name extends MetricName>(name: Name, labels: LabelsOf<Name>, value: number | HistogramReading): this {
    this.addWritten(name, writeLabels(labels), value)
    return this
  }

  /** The same with labels that are written already. */
  addWritten(name: MetricName, labels: string, value: number | HistogramReading): void {
    const series = this.readings[name] ?? {}
    this.readings[name] = series
    const known = series[labels]
    series[labels] = known === undefined ? value : combine(known, value, 'sum')
  }
}

export function writeLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',')
}

function escapeLabel(label: string): string {
  return label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** The readings of several processes as one. */
export function sumReadings(all: readonly Readings[]): Readings {
  const total: Readings = {}
  for (const readings of all) {
    for (const name of METRIC_NAMES) {
      for (const [labels, value] of Object.entries(readings[name] ?? {})) {
        const series = total[name] ?? {}
        total[name] = series
        const known = series[labels]
        series[labels] = known === undefined ? value : combine(known, value, definitionOf(name).across)
      }
    }
  }
  return total
}

/** What stays of a process that has ended: all that only grows. */
export function keepCounts(readings: Readings): Readings {
  const kept: Readings = {}
  for (const name of METRIC_NAMES) {
    const series = readings[name]
    if (series !== undefined && definitionOf(name).type !== 'gauge') kept[name] = series
  }
  return kept
}

type Value = number | HistogramReading

function combine(one: Value, other: Value, across: 'sum' | 'most' | 'least' | undefined): Value {
  if (typeof one !== 'number' && typeof other !== 'number') {
    return {
      counts: one.counts.map((count, place) => count + (other.counts[place] ?? 0)),
      sum: one.sum + other.sum,
    }
  }
  if (typeof one !== 'number' || typeof other !== 'number') return one
  if (across === 'most') return Math.max(one, other)
  return across === 'least' ? Math.min(one, other) : one + other
}

/** The text format of Prometheus. */
export function renderReadings(readings: Readings): string {
  return METRIC_NAMES.flatMap((name) => {
    const series = Object.entries(readings[name] ?? {})
    if (series.length === 0) return []
    const { type, meaning } = definitionOf(name)
    const lines = series.flatMap(([labels, value]) =>
      typeof value === 'number'
        ? [`${name}${braced(labels)} ${writeNumber(value)}`]
        : histogramLines(name, labels, value),
    )
    return [`# HELP ${name} ${helpOf(meaning)}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`]
  }).join('')
}

function histogramLines(name: MetricName, labels: string, { counts, sum }: HistogramReading): string[] {
  const before = labels === '' ? '' : `${labels},`
  let reached = 0
  const buckets = [...(definitionOf(name).buckets ?? []), Number.POSITIVE_INFINITY].map((bound, place) => {
    reached += counts[place] ?? 0
    return `${name}_bucket{${before}le="${bound === Number.POSITIVE_INFINITY ? '+Inf' : bound}"} ${reached}`
  })
  return [
    ...buckets,
    `${name}_sum${braced(labels)} ${writeNumber(sum)}`,
    `${name}_count${braced(labels)} ${reached}`,
  ]
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

/** Small amounts without an exponent, which people read more easily. */
function writeNumber(value: number): string {
  const text = String(value)
  return text.includes('e-') ? value.toFixed(15).replace(/\.?0+$/, '') : text
}

/** A sentence, without the marks of Markdown. */
function helpOf(meaning: string): string {
  const plain = meaning.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`
}
