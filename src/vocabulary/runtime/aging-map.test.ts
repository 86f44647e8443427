import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AgingMap } from './aging-map.ts'

interface MapAction {
  doTo(map: AgingMap<number, number>): void
  doToPlain(map: Map<number, number>): void
}

const MAP_ACTION: fc.Arbitrary<MapAction> = fc.tuple(fc.nat(5), fc.nat()).chain(([key, value]) =>
  fc.constantFrom<MapAction>(
    { doTo: (map) => map.set(key, value), doToPlain: (map) => map.set(key, value) },
    {
      doTo: (map) => map.renew(key, value),
      doToPlain: (map) => {
        map.delete(key)
        map.set(key, value)
      },
    },
    { doTo: (map) => map.delete(key), doToPlain: (map) => map.delete(key) },
  ),
)

describe('AgingMap', () => {
  test('returns the entry that was set or renewed longest ago', () => {
    const map = new AgingMap<string, number>()
    expect(map.oldest).toBeNull()
    map.set('a', 1)
    map.set('b', 2)
    expect(map.oldest).toMatchObject({ key: 'a', value: 1 })
    map.renew('a', 3)
    expect(map.oldest).toMatchObject({ key: 'b', value: 2 })
    map.set('b', 4)
    expect(map.oldest).toMatchObject({ key: 'b', value: 4 })
    map.delete('b')
    expect(map.oldest).toMatchObject({ key: 'a', value: 3 })
  })

  test('behaves like a Map that deletes an entry before renewing it', () => {
    fc.assert(
      fc.property(fc.array(MAP_ACTION), (deeds) => {
        const map = new AgingMap<number, number>()
        const plain = new Map<number, number>()
        for (const deed of deeds) {
          deed.doTo(map)
          deed.doToPlain(plain)
          const [first] = plain
          expect(map.size).toBe(plain.size)
          expect(map.oldest && [map.oldest.key, map.oldest.value]).toEqual(first ?? null)
        }
        for (const [key, value] of plain) expect(map.get(key)).toBe(value)
        expect([...map.entries()]).toEqual([...plain])
        for (const [key] of map.entries()) if (key % 2 === 0) map.delete(key)
        expect([...map.entries()]).toEqual([...plain].filter(([key]) => key % 2 === 1))
      }),
    )
  })
})
