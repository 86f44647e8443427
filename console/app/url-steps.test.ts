import { expect, test } from 'bun:test'
import { isStep } from './url-steps.ts'

test('the back button undoes tabs and what was opened, but not filters', () => {
  expect(isStep({ tab: 'members' }, {})).toBe(true)
  expect(isStep({ tab: undefined }, { tab: 'members' })).toBe(true)
  expect(isStep({ do: 'create' }, {})).toBe(true)
  expect(isStep({ q: 'acme', kind: 'text' }, {})).toBe(false)
})

test('it does not open again what was closed', () => {
  expect(isStep({ do: undefined }, { do: 'create' })).toBe(false)
  expect(isStep({ edit: undefined, do: undefined }, {})).toBe(false)
  expect(isStep({ tab: 'members' }, { tab: 'members' })).toBe(false)
})
