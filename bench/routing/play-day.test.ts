import { expect, test } from 'bun:test'
import { renderChart } from './chart.ts'
import { EventQueue } from './event-queue.ts'
import { playDay } from './play-day.ts'
import { renderTable, stretchesOf, summarise } from './summary.ts'

test('events are ordered by time, then by insertion', () => {
  const queue = new EventQueue()
  const happened: string[] = []
  const add = (atMs: number, name: string) => queue.add(atMs, () => happened.push(name))
  for (const [index, atMs] of [5, 1, 3, 1, 4, 2].entries()) add(atMs, `${atMs}/${index}`)
  queue.add(2, () => add(3.5, 'added'))
  queue.run(() => {})
  expect(happened).toEqual(['1/1', '1/3', '2/5', '3/2', 'added', '4/4', '5/0'])
})

test('a simulated day is reproducible, and the router beats the other strategies', () => {
  const [played, again] = [playDay(3, 2_000), playDay(3, 2_000)]
  expect(again).toEqual(played)
  const summaries = [...played].map(([name, outcomes]) => summarise(name, outcomes))
  expect(renderTable(summaries)).toContain('| router |')
  const [router, ...others] = summaries
  if (router === undefined) throw new Error('no router')
  for (const other of others) {
    expect(router.requests).toBe(other.requests)
    expect(router.successRate).toBeGreaterThanOrEqual(other.successRate)
    expect(router.costPerThousand).toBeLessThan(other.costPerThousand)
    expect(router.p95Ms).toBeLessThan(other.p95Ms)
  }
})

test('the chart has a line for each strategy in both panels', () => {
  const lines = [...playDay(3, 500)].map(([name, outcomes]) => ({
    name,
    stretches: stretchesOf(outcomes, 8),
  }))
  const chart = renderChart(lines)
  expect(chart.match(/<polyline/g)).toHaveLength(6)
  expect(chart).not.toMatch(/NaN|undefined|Infinity/)
})
