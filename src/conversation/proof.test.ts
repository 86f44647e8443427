import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isProofFor, openProof, type Proof, readProof, sealProof } from './proof.ts'

const arbitraryProof: fc.Arbitrary<Proof> = fc.record({
  origin: fc.string(),
  model: fc.string(),
  route: fc.string(),
  on: fc.constantFrom('thinking', 'tool-call', 'text'),
  value: fc.string({ unit: 'grapheme' }),
  itemId: fc.option(fc.string()),
})

const PROOF: Proof = {
  origin: 'messages',
  model: 'deep-1',
  route: 'sup_1',
  on: 'thinking',
  value: 'EqQB',
  itemId: null,
}

describe('sealed proofs', () => {
  test('opening gives what was sealed', () => {
    fc.assert(
      fc.property(arbitraryProof, (proof) => expect(openProof(sealProof(proof))).toEqual(proof)),
      { numRuns: 500, seed: 1 },
    )
  })

  test('are plain Base64', () => {
    fc.assert(
      fc.property(arbitraryProof, (proof) => expect(sealProof(proof)).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)),
      { numRuns: 300, seed: 2 },
    )
  })

  test.each([
    '',
    'EqQB',
    'eyJ2IjoxL',
    'eyJ2IjoxLA==',
    `${sealProof(PROOF).slice(0, -8)}`,
    Buffer.from('{"v":1,"p":7,"s":"x","o":"text"}').toString('base64'),
    Buffer.from('{"v":1,"p":"messages","s":"x"}').toString('base64'),
    Buffer.from('{"v":1,"p":"messages","s":"x","o":"elsewhere"}').toString('base64'),
    Buffer.from('{"v":1,"p":"messages","s":"x","o":"text","m":[1]}').toString('base64'),
  ])('%p is not one', (text) => expect(openProof(text)).toBeNull())

  test('no text makes opening throw', () => {
    const tail = fc.string().map((text) => `eyJ2IjoxL${text}`)
    fc.assert(
      fc.property(tail, (text) => {
        openProof(text)
      }),
      { numRuns: 300, seed: 3 },
    )
  })
})

describe('readProof', () => {
  const own = { format: 'messages', on: 'text' } as const

  test('opens ours', () => expect(readProof(sealProof(PROOF), own)).toEqual(PROOF))

  test('takes the value of a supplier as it is, from anywhere', () =>
    expect(readProof('EqQB', own)).toEqual({ ...PROOF, on: 'text', model: '', route: '' }))
})

describe('isProofFor', () => {
  test.each([
    [{ format: 'messages', route: 'sup_1' }, PROOF, true],
    [{ format: 'messages', route: 'sup_2' }, PROOF, false],
    [{ format: 'responses', route: 'sup_1' }, PROOF, false],
    [{ format: 'messages', route: 'sup_2' }, { ...PROOF, route: '' }, true],
  ])('%p', (target, proof, isFor) => expect(isProofFor(proof, target)).toBe(isFor))
})
