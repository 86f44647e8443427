import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LearnedParameters, type RefusedParameter } from './learned-parameters.ts'

function learner(bounds = { keptMs: 100, maxModels: 3, maxRefusalsPerModel: 2 }) {
  const clock = { now: 0, nowMs: () => clock.now }
  return { clock, learned: new LearnedParameters(clock, bounds) }
}

const refused = (name: string, value: string | null = null): RefusedParameter => ({ name, value })

test('a refusal is known of its model at its supplier, and of no other', () => {
  const { learned } = learner()
  learned.note('a', 'm', refused('top_k'))
  learned.note('a', 'm', refused('top_k'))
  learned.note('a', 'm', refused('seed'))
  expect(learned.of('a', 'm')).toEqual([refused('top_k'), refused('seed')])
  expect(learned.of('a', 'n')).toEqual([])
  expect(learned.of('b', 'm')).toEqual([])
})

test('all that is known of a model is forgotten when its first lesson is too old', () => {
  const { clock, learned } = learner()
  learned.note('a', 'm', refused('top_k'))
  clock.now = 60
  learned.note('a', 'm', refused('seed'))
  clock.now = 99
  expect(learned.of('a', 'm')).toEqual([refused('top_k'), refused('seed')])
  clock.now = 100
  expect(learned.of('a', 'm')).toEqual([])
  expect(learned.size).toBe(0)
})

test('a day by default', () => {
  const clock = { now: 0, nowMs: () => clock.now }
  const learned = new LearnedParameters(clock)
  learned.note('a', 'm', refused('top_k'))
  clock.now = 24 * 3_600_000 - 1
  expect(learned.of('a', 'm')).toEqual([refused('top_k')])
  clock.now++
  expect(learned.of('a', 'm')).toEqual([])
})

test('one value that is refused leaves the others, until the parameter itself is', () => {
  const { learned } = learner({ keptMs: 100, maxModels: 3, maxRefusalsPerModel: 3 })
  learned.note('a', 'm', refused('temperature', '0.2'))
  learned.note('a', 'm', refused('temperature', '0.2'))
  learned.note('a', 'm', refused('temperature', '0.3'))
  learned.note('a', 'm', refused('temperature'))
  learned.note('a', 'm', refused('temperature', '0.4'))
  expect(learned.of('a', 'm').map(({ value }) => value)).toEqual(['0.2', '0.3', null])
})

test('a value of any length that comes once is not worth remembering', () => {
  const { learned } = learner()
  learned.note('a', 'm', refused('metadata', 'x'.repeat(101)))
  expect(learned.size).toBe(0)
})

test('looking up an unknown model allocates nothing', () => {
  const { learned } = learner()
  expect(learned.of('a', 'm')).toBe(learned.of('b', 'n'))
})

test('however much is learned, only so much is kept, and the last lesson always is', () => {
  const note = fc.record({
    supplier: fc.constantFrom('a', 'b', 'c'),
    model: fc.constantFrom('m', 'n', 'o'),
    name: fc.constantFrom('x', 'y', 'z'),
    value: fc.constantFrom<string | null>(null, '1', '2'),
  })
  fc.assert(
    fc.property(fc.array(note), (notes) => {
      const { learned } = learner()
      for (const { supplier, model, name, value } of notes) {
        learned.note(supplier, model, { name, value })
        const known = learned.of(supplier, model)
        expect(known.some((each) => each.name === name && [null, value].includes(each.value))).toBe(true)
        expect(known.length).toBeLessThanOrEqual(2)
        expect(learned.size).toBeLessThanOrEqual(3)
      }
    }),
  )
})
