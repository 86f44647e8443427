import type { Format } from '../../../src/vocabulary/supply.ts'
import type { JsonObject } from '../../../src/wire/json-values.ts'

/** A reply as the vendor sends it, and what the vendor's price list makes of it. */
export interface Invoice {
  readonly name: string
  /** What the vendor's price page says, in dollars per million tokens unless it names another unit. */
  readonly documented: string
  /** The same as the operator API takes it. */
  readonly price: JsonObject
  readonly format: Format
  readonly reply: JsonObject
  /** When the request started; a Tuesday at noon unless said otherwise. */
  readonly startedAt?: string
  /** The size and quality that were requested, for images. */
  readonly requested?: { readonly imageSize?: string; readonly imageQuality?: string }
  /** Quantity and rate of every item, worked out by hand from the reply and the price page. */
  readonly items: Readonly<Record<string, readonly [quantity: number, rate: string]>>
  /** Their sum by hand. */
  readonly sum: string
}

/** The choices of a chat reply, which do not matter to its price. */
export const CHAT = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
}
