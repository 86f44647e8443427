import type { Price } from '../../vocabulary/supply.ts'

/** JSON for a text column; a bigint becomes a decimal string, which no reader can round. */
export function toStoredJson(value: object): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
}

/** A price as it is stored: every amount a decimal string. */
type StoredPrice = { readonly [Field in keyof Price]: string }

// Thousands of settlements in a row have the very same price.
const written = new WeakMap<Price, string>()

export function encodePrice(price: Price | null): string | null {
  if (price === null) return null
  const known = written.get(price)
  if (known !== undefined) return known
  const text = writePrice(price)
  written.set(price, text)
  return text
}

function writePrice(price: Price): string {
  const stored: StoredPrice = {
    inputNanoPerMillion: price.inputNanoPerMillion.toString(),
    outputNanoPerMillion: price.outputNanoPerMillion.toString(),
    cacheReadNanoPerMillion: price.cacheReadNanoPerMillion.toString(),
    cacheWriteNanoPerMillion: price.cacheWriteNanoPerMillion.toString(),
    imageNano: price.imageNano.toString(),
  }
  return JSON.stringify(stored)
}

export function decodePrice(text: string | null): Price | null {
  if (text === null) return null
  const stored: StoredPrice = JSON.parse(text)
  return {
    inputNanoPerMillion: BigInt(stored.inputNanoPerMillion),
    outputNanoPerMillion: BigInt(stored.outputNanoPerMillion),
    cacheReadNanoPerMillion: BigInt(stored.cacheReadNanoPerMillion),
    cacheWriteNanoPerMillion: BigInt(stored.cacheWriteNanoPerMillion),
    imageNano: BigInt(stored.imageNano),
  }
}

/** An optional whole number, in the form integer columns take. */
export function encodeInteger(value: number | null): bigint | null {
  return value === null ? null : BigInt(value)
}

export function decodeInteger(value: bigint | null): number | null {
  return value === null ? null : Number(value)
}
