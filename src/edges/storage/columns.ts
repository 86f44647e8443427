import { type Price, readPrice, writePrice } from '../../vocabulary/supply.ts'

/** JSON for a text column; a bigint becomes a decimal string, which no reader can round. */
export function toStoredJson(value: object): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
}

// Thousands of settlements in a row have the very same price.
const written = new WeakMap<Price, string>()

export function encodePrice(price: Price | null): string | null {
  if (price === null) return null
  const known = written.get(price)
  if (known !== undefined) return known
  const text = JSON.stringify(writePrice(price))
  written.set(price, text)
  return text
}

export function decodePrice(text: string | null): Price | null {
  return text === null ? null : readPrice(JSON.parse(text))
}

/** Reads prices that come one after the other: of those in a row that are the same, only the first is work. */
export function createPriceReader(): typeof decodePrice {
  let lastText: string | null = null
  let lastPrice: Price | null = null
  return (text) => {
    if (text !== lastText) {
      lastText = text
      lastPrice = decodePrice(text)
    }
    return lastPrice
  }
}

export function decodeInteger(value: bigint | null): number | null {
  return value === null ? null : Number(value)
}
