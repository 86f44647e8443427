/** What the values of a chart are. */
export type AxisUnit = 'amount' | 'count' | 'share' | 'milliseconds' | 'per_second'

export interface Axis {
  readonly ticks: readonly number[]
  readonly domain: readonly [number, number]
  /** Wide enough for the longest label. */
  readonly width: number
  format(value: number): string
}

interface Scale {
  readonly from: number
  readonly size: number
  readonly suffix: string
}

const THOUSANDS: readonly Scale[] = [
  { from: 1e10, size: 1e9, suffix: 'B' },
  { from: 1e7, size: 1e6, suffix: 'M' },
  { from: 1e4, size: 1e3, suffix: 'k' },
  { from: 0, size: 1, suffix: '' },
]

const SCALES: Readonly<Record<AxisUnit, readonly Scale[]>> = {
  amount: THOUSANDS,
  count: THOUSANDS,
  per_second: THOUSANDS,
  share: [{ from: 0, size: 0.01, suffix: '%' }],
  milliseconds: [
    { from: 120_000, size: 60_000, suffix: ' min' },
    { from: 2_000, size: 1_000, suffix: ' s' },
    { from: 0, size: 1, suffix: ' ms' },
  ],
}

/** No value lies between two steps of this size, so labels need not tell smaller ones apart. */
const SMALLEST_STEP: Readonly<Record<AxisUnit, number>> = {
  amount: 1e-9,
  count: 1,
  share: 1e-6,
  milliseconds: 1,
  per_second: 0.01,
}

const INTERVALS = 4
const CHARACTER_WIDTH = 7
const MARGIN = 14

/**
 * An axis with round ticks from the smallest to the largest value, zero included. All labels have the same unit and as
 * many decimals as the step between them needs, so no two are the same.
 */
export function axisFor(unit: AxisUnit, smallest: number, largest: number): Axis {
  const [low, high] = [Math.min(0, smallest), Math.max(0, largest)]
  const extent = Math.max(Math.abs(low), Math.abs(high))
  const scale = SCALES[unit].find(({ from }) => extent >= from) ?? { size: 1, suffix: '' }
  const step = stepFor((high - low) / INTERVALS / scale.size, SMALLEST_STEP[unit] / scale.size)
  const [first, last] = [
    Math.floor(low / scale.size / step + 1e-9),
    Math.ceil(high / scale.size / step - 1e-9),
  ]
  const end = Math.max(last, first + 1)
  const decimals = decimalsOf(step)
  const ticks = Array.from({ length: end - first + 1 }, (_, index) => (first + index) * step * scale.size)
  const format = (value: number) => {
    const text = (value / scale.size).toFixed(decimals).replace(/^-(0(?:\.0*)?)$/, '$1')
    const [whole = '', fraction] = text.split('.')
    const grouped = whole.replace('-', '−').replace(/\B(?=(\d{3})+$)/g, ',')
    return `${fraction === undefined ? grouped : `${grouped}.${fraction}`}${scale.suffix}`
  }
  const longest = Math.max(...ticks.map((tick) => format(tick).length))
  return {
    ticks,
    domain: [ticks[0] ?? 0, ticks.at(-1) ?? 1],
    width: MARGIN + longest * CHARACTER_WIDTH,
    format,
  }
}

const ROUND = [1, 2, 2.5, 5, 10]

/** The smallest round step that is large enough. */
function stepFor(wanted: number, smallest: number): number {
  if (!(wanted > smallest)) return smallest
  const power = 10 ** Math.floor(Math.log10(wanted))
  const isWhole = (step: number) => Math.abs(step / smallest - Math.round(step / smallest)) < 1e-6
  const steps = ROUND.map((round) => round * power).filter(
    (step) => step >= wanted * (1 - 1e-9) && isWhole(step),
  )
  return steps[0] ?? 10 * power
}

/** How many decimals the step needs to be exact. */
function decimalsOf(step: number): number {
  for (let decimals = 0; decimals < 15; decimals += 1) {
    if (Math.abs(step - Number(step.toFixed(decimals))) < step * 1e-6) return decimals
  }
  return 15
}
