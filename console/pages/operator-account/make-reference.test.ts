import { expect, test } from 'bun:test'
import { makeReference } from './make-reference.ts'

test('creates valid and unique references', () => {
  const made = Array.from({ length: 1_000 }, makeReference)
  for (const reference of made) expect(reference).toMatch(/^console-[0-9a-f]{16}$/)
  expect(new Set(made).size).toBe(made.length)
})
