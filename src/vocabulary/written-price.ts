import type { Price } from './supply.ts'

/** A price for JSON, which has no integers beyond 2^53: every amount is a decimal text. */
export type WrittenPrice = { readonly [Field in keyof Price]: string }

export function writePrice(price: Price): WrittenPrice {
  return {
    inputNanoPerMillion: String(price.inputNanoPerMillion),
    outputNanoPerMillion: String(price.outputNanoPerMillion),
    cacheReadNanoPerMillion: String(price.cacheReadNanoPerMillion),
    cacheWriteNanoPerMillion: String(price.cacheWriteNanoPerMillion),
    imageNano: String(price.imageNano),
  }
}

export function readPrice(written: WrittenPrice): Price {
  return {
    inputNanoPerMillion: BigInt(written.inputNanoPerMillion),
    outputNanoPerMillion: BigInt(written.outputNanoPerMillion),
    cacheReadNanoPerMillion: BigInt(written.cacheReadNanoPerMillion),
    cacheWriteNanoPerMillion: BigInt(written.cacheWriteNanoPerMillion),
    imageNano: BigInt(written.imageNano),
  }
}
