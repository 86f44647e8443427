import { expect, test } from 'bun:test'
import { DecayedCount, DecayedMean } from './decayed.ts'

test('a count halves in a half-life', () => {
  const count = new DecayedCount(1_000)
  count.add(4, 0)
  expect(count.at(1_000)).toBe(2)
  count.add(1, 1_000)
  expect(count.at(2_000)).toBe(1.5)
})

test('a count is raised and never lowered', () => {
  const count = new DecayedCount(1_000)
  count.raiseTo(3, 0)
  count.raiseTo(1, 0)
  expect(count.at(0)).toBe(3)
})

test('a mean weighs what is old less, and is unknown before the first value', () => {
  const mean = new DecayedMean(1_000)
  expect(mean.mean).toBeNull()
  mean.add(100, 0)
  mean.add(400, 1_000)
  expect(mean.mean).toBe(300)
  expect(mean.weightAt(2_000)).toBe(0.75)
})

test('a mean leans to what is assumed, all the more the older it is', () => {
  const mean = new DecayedMean(1_000)
  const assumed = { value: 10, weight: 1 }
  expect(mean.leaningTo(assumed, 0)).toBe(10)
  mean.add(100, 0)
  expect(mean.leaningTo(assumed, 0)).toBe(55)
  expect(mean.leaningTo(assumed, 1_000)).toBe(40)
  expect(mean.leaningTo(assumed, 60_000)).toBeCloseTo(10)
})

test('a clock that steps back makes nothing count more', () => {
  const count = new DecayedCount(1_000)
  count.add(1, 5_000)
  expect(count.at(0)).toBe(1)
})
