import { createHash } from 'node:crypto'

/** Chance that always falls the same way for the same seed. */
export interface Dice {
  /** From 0 up to, but not including, 1. */
  roll(): number
  between(low: number, high: number): number
  /** A whole number, both ends included. */
  count(low: number, high: number): number
  pick<T>(choices: readonly [T, ...T[]]): T
}

export function createDice(seed: string): Dice {
  const digest = createHash('sha256').update(seed).digest()
  let state = digest.readUInt32LE(0)
  const increment = digest.readUInt32LE(4) | 1
  const roll = () => {
    state = (state + increment) >>> 0
    return scramble(state) / 2 ** 32
  }
  const between = (low: number, high: number) => low + roll() * (high - low)
  return {
    roll,
    between,
    count: (low, high) => Math.floor(between(low, high + 1)),
    pick: (choices) => choices[Math.floor(roll() * choices.length)] ?? choices[0],
  }
}

/** Neighbouring states must not give neighbouring results. */
function scramble(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return (mixed ^ (mixed >>> 15)) >>> 0
}
