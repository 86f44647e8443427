import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { TextPlaces } from './grounding.ts'

test('converts between character and byte offsets', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀'), maxLength: 900 })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), fc.nat(1_000), fc.nat(1_000), (pieces, one, other) => {
      const places = new TextPlaces()
      for (const piece of pieces) places.append(piece)
      const characters = [...pieces.join('')]
      const start = characters.slice(0, Math.min(one, other)).join('')
      const cited = characters.slice(Math.min(one, other), Math.max(one, other)).join('')
      const end = start.length + cited.length
      expect(places.byteLength).toBe(Buffer.byteLength(pieces.join('')))
      expect(places.byteOfCharacter(start.length)).toBe(Buffer.byteLength(start))
      expect(places.characterOfByte(Buffer.byteLength(start + cited))).toBe(end)
      expect(places.slice(start.length, end)).toBe(cited)
    }),
  )
})
