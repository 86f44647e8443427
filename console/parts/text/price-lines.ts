import type { Price, Settlement } from '../../api/wire.ts'
import { readNano, writeFine, writeNano } from './exact-amount.ts'

const TOKENS_PER_QUOTE = 1_000_000n

export interface PriceLine {
  readonly label: string
  readonly quantity: number
  /** Per million tokens, or per image. */
  readonly price: string
  readonly unit: 'per million' | 'each'
  /** Exact, with up to fifteen decimals. */
  readonly amount: string
}

export interface PriceSum {
  readonly lines: readonly PriceLine[]
  /** The difference from rounding to nine decimals; `"0"` if none. */
  readonly rounding: string
  readonly total: string
}

/** Calculates an amount: each kind of token at its price, rounded together once, half up. */
export function addUpPrice(usage: Omit<Settlement['usage'], 'reasoning'>, price: Price): PriceSum {
  const tokens = [
    tokenLine('Input', usage.input, price.input),
    tokenLine('Cache read', usage.cache_read, price.cache_read),
    tokenLine('Cache write', usage.cache_write, price.cache_write),
    tokenLine('Output', usage.output, price.output),
  ]
  const images = BigInt(usage.images) * (readNano(price.image) ?? 0n)
  const imageLine: PriceLine = {
    label: 'Images',
    quantity: usage.images,
    price: price.image,
    unit: 'each',
    amount: writeNano(images),
  }
  const fine = tokens.reduce((sum, line) => sum + line.fine, 0n)
  const rounded = (fine + TOKENS_PER_QUOTE / 2n) / TOKENS_PER_QUOTE
  const lines = [...tokens.map(({ fine: _, ...line }) => line), imageLine]
  return {
    lines: lines.filter(({ quantity }) => quantity > 0),
    rounding: writeFine(rounded * TOKENS_PER_QUOTE - fine),
    total: writeNano(rounded + images),
  }
}

function tokenLine(label: string, quantity: number, price: string): PriceLine & { fine: bigint } {
  const fine = BigInt(quantity) * (readNano(price) ?? 0n)
  return { label, quantity, price, unit: 'per million', amount: writeFine(fine), fine }
}
