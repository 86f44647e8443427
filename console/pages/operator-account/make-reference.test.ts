import { expect, test } from 'bun:test'
import { makeReference } from './make-reference.ts'

test('references are what the gateway takes, and no two are alike', () => {
  const made = Array.from({ length: 1_000 }, makeReference)
  for (const reference of made) expect(reference).toMatch(/^console-[0-9a-f]{16}$/)
  expect(new Set(made).size).toBe(made.length)
})
