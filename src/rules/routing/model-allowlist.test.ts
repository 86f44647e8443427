import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { aKey } from '../../vocabulary/testing/specimens.ts'
import { isAllowed } from './eligible-routes.ts'

const text = fc.stringMatching(/^[ab-]{0,4}$/)

test('a list lets through what one of its entries lets through', () => {
  const entries = fc.array(
    fc.oneof(
      text,
      text.map((prefix) => `${prefix}*`),
    ),
    { minLength: 1, maxLength: 6 },
  )
  fc.assert(
    fc.property(entries, text, (modelAllowlist, modelId) => {
      const expected = modelAllowlist.some((entry) =>
        entry.endsWith('*') ? modelId.startsWith(entry.slice(0, -1)) : entry === modelId,
      )
      expect(isAllowed(aKey({ modelAllowlist }), modelId)).toBe(expected)
    }),
  )
})
