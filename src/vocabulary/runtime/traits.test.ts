import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DEFAULT_TRAITS, fitTraits, type Traits } from './traits.ts'

const fit = (known: Record<string, unknown>) => fitTraits(DEFAULT_TRAITS, known)

describe('the traits of a model', () => {
  test('override those of its format', () => {
    const known: Partial<Traits> = {
      thinking: { type: 'budget', least: 128, most: 24_576, canDisable: true },
      vision: false,
      structured: 'json',
      sampling: 'only-without-thinking',
      maxChoices: 1,
      maxTokensField: 'max_tokens',
    }
    expect(fit(known)).toEqual({ ...DEFAULT_TRAITS, ...known })
  })

  test.each<Traits['thinking']>([
    { type: 'none' },
    { type: 'effort', efforts: ['low', 'high'] },
    { type: 'budget', least: 0, most: 1, canDisable: false },
    { type: 'adaptive', efforts: [], canDisable: true },
    { type: 'level', levels: ['minimal'] },
  ])('may name any thinking control: %j', (thinking) => expect(fit({ thinking }).thinking).toEqual(thinking))

  test.each([
    { thinking: null },
    { thinking: {} },
    { thinking: [] },
    { thinking: { type: 'effort' } },
    { thinking: { type: 'effort', efforts: ['huge'] } },
    { thinking: { type: 'budget', least: '1', most: 2, canDisable: true } },
    { thinking: { type: 'adaptive', efforts: ['low'] } },
    { thinking: { type: 'level', levels: null } },
    { thinking: { type: 'other' } },
    { vision: 'no' },
    { stop: null },
    { structured: 'xml' },
    { sampling: true },
    { maxChoices: 0 },
    { maxChoices: 1.5 },
    { maxTokensField: 'model' },
    { toString: 'x', constructor: {}, __proto__: {}, unknown: 1 },
    JSON.parse('{"__proto__": {"vision": false}}'),
  ])('are ignored where they make no sense: %j', (known) => expect(fit(known)).toEqual(DEFAULT_TRAITS))

  test('are complete, whatever an operator writes', () => {
    const names = fc.constantFrom(...Object.keys(DEFAULT_TRAITS), 'other')
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), (known) => {
        const fitted = fit(known)
        expect(Object.keys(fitted)).toEqual(Object.keys(DEFAULT_TRAITS))
        for (const [name, value] of Object.entries(DEFAULT_TRAITS)) {
          expect(typeof fitted[name as keyof Traits]).toBe(typeof value)
          expect(fitted[name as keyof Traits]).not.toBeNull()
        }
      }),
    )
  })
})
