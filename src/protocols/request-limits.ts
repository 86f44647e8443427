import { GatewayError } from '../errors/gateway-error.ts'

/** How much of anything a request may hold, whatever it is written in; `docs/limits.md` says where each figure is from. */

/** The vendor of the messages format documents it; no other documents fewer. */
export const MAX_MESSAGES = 100_000

/** Our own bound, far above what agents with many tool servers send: a few hundred. */
export const MAX_TOOLS = 10_000

export const MAX_METADATA_PAIRS = 16

/** Our own bound: `logit_bias` steers a few words, and no vendor says how many tokens it may name. */
export const MAX_BIASED_TOKENS = 4_096
/** A token and its bias take half of that each. Listing the members of a very large object takes longer than its text. */
export const MAX_BIAS_CHARACTERS = MAX_BIASED_TOKENS * 32

/** No vendor says. They are looked for in every character of an answer by a machine as large as all of them together. */
export const MAX_STOP_SEQUENCES = 256
export const MAX_STOP_CHARACTERS = 1_024

/** Our own bound. */
export const MAX_MEDIA_PARTS = 3_600

/** Refuses a request with more pictures than any supplier takes. */
export function checkMediaParts(mediaParts: number, param: string): void {
  if (mediaParts <= MAX_MEDIA_PARTS) return
  const message = `${param} may hold at most ${MAX_MEDIA_PARTS} pictures and other media, and holds ${mediaParts}.`
  throw new GatewayError('invalid_request', message, { param })
}
