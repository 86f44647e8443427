import { expect, test } from 'bun:test'
import { createSeals } from './seals.ts'

const CLAIM = { face: 'messages', model: 'm', about: 'thinking' }

test('a seal holds for its own claim and content only', () => {
  const seals = createSeals('secret')
  const seal = seals.seal(CLAIM, 'Grüße')
  expect(seals.isGenuine(seal, CLAIM, 'Grüße')).toBe(true)
  expect(seals.isGenuine(seal, CLAIM, null)).toBe(true)
  expect(seals.isGenuine(seal, CLAIM, 'Grüsse')).toBe(false)
  expect(seals.isGenuine(seal, { ...CLAIM, face: 'responses' }, 'Grüße')).toBe(false)
  expect(seals.isGenuine(seal, { ...CLAIM, model: 'n' }, 'Grüße')).toBe(false)
  expect(seals.isGenuine(seal, { ...CLAIM, about: 'redacted' }, null)).toBe(false)
})

test('a seal of another sandbox, an altered one and nonsense are strangers', () => {
  const seals = createSeals('secret')
  const seal = seals.seal(CLAIM, 'x')
  const altered = `${seal.startsWith('A') ? 'B' : 'A'}${seal.slice(1)}`
  const foreign = createSeals('other').seal(CLAIM, 'x')
  for (const wrong of [altered, foreign, seal.slice(4), `${seal} `, 'EqQB', '']) {
    expect(seals.isGenuine(wrong, CLAIM, null), wrong).toBe(false)
  }
})
