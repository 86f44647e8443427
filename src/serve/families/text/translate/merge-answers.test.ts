import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { arbitraryAnswer } from '../../../../../test/support/arbitrary-conversation.ts'
import type { Usage } from '../../../../conversation/usage.ts'
import { countOutput } from './estimate-usage.ts'
import { mergeAnswers } from './translate.ts'

const single = arbitraryAnswer({ without: ['many-choices'] })

test('several answers become the choices of one, in their order', () => {
  fc.assert(
    fc.property(fc.array(single, { minLength: 1, maxLength: 5 }), (answers) => {
      const merged = mergeAnswers(answers)
      expect(merged.id).toBe(answers[0]?.id ?? '')
      expect(merged.choices).toEqual(
        answers.flatMap(({ choices }, index) => choices.slice(0, 1).map((choice) => ({ ...choice, index }))),
      )
      expect(countOutput(merged)).toBe(answers.reduce((sum, answer) => sum + countOutput(answer), 0))
    }),
  )
})

test('their usage is summed; one without usage makes the sum unknown', () => {
  fc.assert(
    fc.property(fc.array(single, { minLength: 1, maxLength: 5 }), (answers) => {
      const { usage } = mergeAnswers(answers)
      const usages = answers.map((answer) => answer.usage)
      if (usages.includes(null)) return expect(usage).toBeNull()
      const names = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning', 'images'] as const
      for (const name of names) {
        expect(usage?.[name]).toBe(usages.reduce((sum, each: Usage | null) => sum + (each?.[name] ?? 0), 0))
      }
    }),
  )
})

test('no answers become an empty one', () => {
  expect(mergeAnswers([])).toEqual({ id: '', choices: [], usage: null })
})
