import type { SupplierFailure } from '../../../errors/supplier-failure.ts'

/** No answer has an event this long; a supplier that never ends one would otherwise fill the memory. */
export const LONGEST_EVENT_BYTES = 64 * 1024 * 1024

/** A marker that other formats end with and that some suppliers send here too; it means nothing. */
export function isDone(data: string): boolean {
  return data.startsWith('[DONE]')
}

export function malformed(what: string): SupplierFailure {
  const message = `The supplier's stream has ${what}.`
  return { kind: 'malformed', status: null, message, param: null, retryAfterSeconds: null }
}
