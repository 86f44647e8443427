import { GatewayError } from '../errors/gateway-error.ts'

/** Request limits of all formats. `docs/limits.md` explains where each number comes from. */

/** Documented by the vendor of the messages format; no other vendor documents a lower limit. */
export const MAX_MESSAGES = 100_000

/** The gateway's own limit. Agents with many tool servers send a few hundred. */
export const MAX_TOOLS = 10_000

export const MAX_METADATA_PAIRS = 16

/** The gateway's own limit: no vendor documents how many tokens `logit_bias` may name. */
export const MAX_BIASED_TOKENS = 4_096
/** A token and its bias take about half of this each. Checking the length first avoids listing a huge object. */
export const MAX_BIAS_CHARACTERS = MAX_BIASED_TOKENS * 32

/** Not documented by vendors. The gateway searches every answer for all of them at once, so their total size is bounded. */
export const MAX_STOP_SEQUENCES = 256
export const MAX_STOP_CHARACTERS = 1_024

/** The gateway's own limit. */
export const MAX_MEDIA_PARTS = 3_600

/** Throws when a request has more images than any supplier accepts. */
export function checkMediaParts(mediaParts: number, param: string): void {
  if (mediaParts <= MAX_MEDIA_PARTS) return
  const message = `${param} may contain at most ${MAX_MEDIA_PARTS} images and other media, but contains ${mediaParts}.`
  throw new GatewayError('invalid_request', message, { param })
}

/** Suppliers count tokens in 32 bits. A larger limit is a mistake and would overflow the reservation. */
export const MAX_TOKENS = 2 ** 31 - 1
