import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LearnedParameters } from './learned-parameters.ts'

function learner(bounds = { keptMs: 100, mostModels: 3, mostParametersPerModel: 2 }) {
  const clock = { now: 0, nowMs: () => clock.now }
  return { clock, learned: new LearnedParameters(clock, bounds) }
}

test('a refusal is known of its model at its supplier, and of no other', () => {
  const { learned } = learner()
  learned.note('a', 'm', 'top_k')
  learned.note('a', 'm', 'top_k')
  learned.note('a', 'm', 'seed')
  expect(learned.of('a', 'm')).toEqual(['top_k', 'seed'])
  expect(learned.of('a', 'n')).toEqual([])
  expect(learned.of('b', 'm')).toEqual([])
})

test('all that is known of a model is forgotten when its first lesson is too old', () => {
  const { clock, learned } = learner()
  learned.note('a', 'm', 'top_k')
  clock.now = 60
  learned.note('a', 'm', 'seed')
  clock.now = 99
  expect(learned.of('a', 'm')).toEqual(['top_k', 'seed'])
  clock.now = 100
  expect(learned.of('a', 'm')).toEqual([])
  expect(learned.size).toBe(0)
})

test('a day by default', () => {
  const clock = { now: 0, nowMs: () => clock.now }
  const learned = new LearnedParameters(clock)
  learned.note('a', 'm', 'top_k')
  clock.now = 24 * 3_600_000 - 1
  expect(learned.of('a', 'm')).toEqual(['top_k'])
  clock.now++
  expect(learned.of('a', 'm')).toEqual([])
})

test('what nobody has asked for costs nothing to look up', () => {
  const { learned } = learner()
  expect(learned.of('a', 'm')).toBe(learned.of('b', 'n'))
})

test('however much is learned, only so much is kept, and the last lesson always is', () => {
  const note = fc.record({
    supplier: fc.constantFrom('a', 'b', 'c'),
    model: fc.constantFrom('m', 'n', 'o'),
    name: fc.constantFrom('x', 'y', 'z'),
  })
  fc.assert(
    fc.property(fc.array(note), (notes) => {
      const { learned } = learner()
      for (const { supplier, model, name } of notes) {
        const before = learned.of(supplier, model)
        learned.note(supplier, model, name)
        const known = learned.of(supplier, model)
        expect(known.includes(name) || before.length === 2).toBe(true)
        expect(known.length).toBeLessThanOrEqual(2)
        expect(learned.size).toBeLessThanOrEqual(3)
      }
    }),
  )
})
