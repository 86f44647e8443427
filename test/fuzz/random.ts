/** Numbers that follow from a seed alone. */
export interface Random {
  /** A whole number from 0 up to but not including the bound. */
  below(bound: number): number
  pick<Item>(items: readonly Item[]): Item
}

export function seededRandom(seed: number): Random {
  let state = seed | 0
  // The generator known as mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    below,
    pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item,
  }
}
