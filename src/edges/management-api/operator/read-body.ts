import type { Static, TSchema } from 'typebox'
import type { Exchange } from '../../../gateway/ports/exchange.ts'
import { textReader } from '../../../wire/read-shape.ts'

export { textReader } from '../../../wire/read-shape.ts'

export type BodyReader<T> = (exchange: Exchange) => Promise<T>

/** A reader of bodies of this shape. It names the first field at fault and never repeats a value: it may be a secret. */
export function bodyReader<const Schema extends TSchema>(schema: Schema): BodyReader<Static<Schema>> {
  const read = textReader(schema)
  return async (exchange) => read(await exchange.readText())
}
