import { quantile } from '../measuring/statistics.ts'
import type { Outcome } from './simulate.ts'
import { DAY_MS } from './world.ts'

export interface Summary {
  readonly name: string
  readonly requests: number
  readonly successRate: number
  readonly costPerThousand: number
  readonly medianMs: number
  readonly p95Ms: number
  readonly attemptsPerRequest: number
  readonly keptShare: number
}

export function summarise(name: string, outcomes: readonly Outcome[]): Summary {
  const answered = outcomes.filter(({ isAnswered }) => isAnswered)
  const later = answered.filter(({ isKept }) => isKept !== null)
  const times = answered.map(({ tookMs }) => tookMs)
  return {
    name,
    requests: outcomes.length,
    successRate: answered.length / outcomes.length,
    costPerThousand: (1_000 * sum(answered.map(({ cost }) => cost))) / answered.length,
    medianMs: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    attemptsPerRequest: sum(outcomes.map(({ attempts }) => attempts)) / outcomes.length,
    keptShare: later.filter(({ isKept }) => isKept).length / later.length,
  }
}

/** What one stretch of the day was like. */
export interface Stretch {
  readonly successRate: number
  readonly p95Ms: number
}

export function stretchesOf(outcomes: readonly Outcome[], count: number): Stretch[] {
  const byStretch = Map.groupBy(outcomes, ({ atMs }) => Math.floor((atMs / DAY_MS) * count))
  return Array.from({ length: count }, (_, index) => {
    const { successRate, p95Ms } = summarise('', byStretch.get(index) ?? [])
    return { successRate, p95Ms }
  })
}

export function renderTable(summaries: readonly Summary[]): string {
  const rows = summaries.map((summary) => {
    const { name, successRate, costPerThousand, medianMs, p95Ms, attemptsPerRequest, keptShare } = summary
    const cells = [
      name,
      `${(100 * successRate).toFixed(2)} %`,
      costPerThousand.toFixed(2),
      `${Math.round(medianMs)} ms`,
      `${Math.round(p95Ms)} ms`,
      attemptsPerRequest.toFixed(3),
      `${(100 * keptShare).toFixed(1)} %`,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| Strategy | Answered | USDT per 1,000 answers | Median first byte | p95 first byte | Attempts per request | Turns kept on their credential |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...rows,
  ].join('\n')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
