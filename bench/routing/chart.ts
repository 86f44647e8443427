import type { Stretch } from './summary.ts'

export interface ChartLine {
  readonly name: string
  readonly stretches: readonly Stretch[]
}

interface Panel {
  readonly title: string
  readonly top: number
  readonly lowest: number
  readonly highest: number
  readonly ticks: readonly number[]
  readonly valueOf: (stretch: Stretch) => number
  readonly label: (tick: number) => string
}

const WIDTH = 860
const HEIGHT = 520
const LEFT = 70
const RIGHT = 20
const PANEL_HEIGHT = 170
const COLOURS = ['#0b6e4f', '#c8553d', '#5b6abf']

/** Answered share and p95 over the day, a line for each strategy. */
export function renderChart(lines: readonly ChartLine[]): string {
  const slowestMs = Math.max(...lines.flatMap(({ stretches }) => stretches.map(({ p95Ms }) => p95Ms)))
  const least = Math.min(...lines.flatMap(({ stretches }) => stretches.map(({ successRate }) => successRate)))
  const highest = Math.ceil(slowestMs / 2_000) * 2_000
  const lowest = Math.floor(least * 20) / 20
  const panels: readonly Panel[] = [
    {
      title: 'Requests answered',
      top: 60,
      lowest,
      highest: 1,
      ticks: ticksBetween(lowest, 1),
      valueOf: ({ successRate }) => successRate,
      label: (tick) => `${(tick * 100).toFixed(1)} %`,
    },
    {
      title: '95th percentile of the time to the first byte',
      top: 300,
      lowest: 0,
      highest,
      ticks: ticksBetween(0, highest),
      valueOf: ({ p95Ms }) => p95Ms,
      label: (tick) => `${(tick / 1_000).toFixed(1)} s`,
    },
  ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>Routing strategies over a simulated day</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...lines.map(({ name }, index) => legend(name, index)),
    ...panels.flatMap((panel) => [...frame(panel), ...lines.map((line, index) => curve(line, index, panel))]),
    '</svg>\n',
  ].join('\n')
}

function ticksBetween(lowest: number, highest: number): number[] {
  return [0, 1, 2, 3, 4].map((step) => lowest + (step * (highest - lowest)) / 4)
}

function legend(name: string, index: number): string {
  const x = LEFT + index * 130
  const text = `<text x="${x + 24}" y="24" fill="#222222">${name}</text>`
  return `<rect x="${x}" y="18" width="18" height="4" fill="${COLOURS[index]}"/>${text}`
}

function frame(panel: Panel): string[] {
  const right = WIDTH - RIGHT
  const bottom = panel.top + PANEL_HEIGHT
  const across = panel.ticks.map((tick) => {
    const y = heightOf(tick, panel)
    const text = `<text x="${LEFT - 8}" y="${y + 4}" text-anchor="end" fill="#555555">${panel.label(tick)}</text>`
    return `<line x1="${LEFT}" y1="${y}" x2="${right}" y2="${y}" stroke="#dddddd"/>${text}`
  })
  const hours = [0, 4, 8, 12, 16, 20, 24].map((hour) => {
    const x = Math.round(LEFT + ((right - LEFT) * hour) / 24)
    return `<text x="${x}" y="${bottom + 18}" text-anchor="middle" fill="#555555">${hour}:00</text>`
  })
  const title = `<text x="${LEFT}" y="${panel.top - 10}" fill="#222222" font-weight="bold">${panel.title}</text>`
  return [title, ...across, ...hours]
}

function curve({ stretches }: ChartLine, index: number, panel: Panel): string {
  const points = stretches.map((stretch, at) => {
    const x = LEFT + ((WIDTH - RIGHT - LEFT) * (at + 0.5)) / stretches.length
    return `${x.toFixed(1)},${heightOf(panel.valueOf(stretch), panel)}`
  })
  const stroke = `stroke="${COLOURS[index]}" stroke-width="2"`
  return `<polyline fill="none" ${stroke} stroke-linejoin="round" points="${points.join(' ')}"/>`
}

function heightOf(value: number, { lowest, highest, top }: Panel): number {
  const share = (value - lowest) / (highest - lowest)
  return Math.round(10 * (top + PANEL_HEIGHT * (1 - share))) / 10
}
