import { expect, test } from 'bun:test'
import { DecayedSum } from './candidate-health.ts'

test('halves a sum in a half-life', () => {
  const sum = new DecayedSum(1_000)
  sum.add(4, 0)
  expect(sum.at(1_000)).toBe(2)
  sum.add(1, 1_000)
  expect(sum.at(2_000)).toBe(1.5)
})

test('raises a sum and never lowers it', () => {
  const sum = new DecayedSum(1_000)
  sum.raiseTo(3, 0)
  sum.raiseTo(1, 0)
  expect(sum.at(0)).toBe(3)
})

test('weighs old values less in a mean, which is unknown before the first value', () => {
  const mean = new DecayedSum(1_000)
  expect(mean.mean).toBeNull()
  mean.add(100, 0)
  mean.add(400, 1_000)
  expect(mean.mean).toBe(300)
  expect(mean.weightAt(2_000)).toBe(0.75)
})

test('pulls a mean towards the assumption as it ages', () => {
  const mean = new DecayedSum(1_000)
  const assumed = { value: 10, weight: 1 }
  expect(mean.leaningTo(assumed, 0)).toBe(10)
  mean.add(100, 0)
  expect(mean.leaningTo(assumed, 0)).toBe(55)
  expect(mean.leaningTo(assumed, 1_000)).toBe(40)
  expect(mean.leaningTo(assumed, 60_000)).toBeCloseTo(10)
})

test('does not grow when the clock steps back', () => {
  const sum = new DecayedSum(1_000)
  sum.add(1, 5_000)
  expect(sum.at(0)).toBe(1)
})
