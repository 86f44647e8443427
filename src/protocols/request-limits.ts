import Type, { type Static } from 'typebox'
import { GatewayError } from '../errors/gateway-error.ts'

/** Request limits of all formats. `docs/money/limits.md` explains where each number comes from. */

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

const MAX_NAME_CHARACTERS = 64
const MAX_VALUE_CHARACTERS = 512

/** Metadata of an object that the gateway stores: texts by name. */
export const StoredMetadata = Type.Object(
  {},
  {
    additionalProperties: Type.String({ maxLength: MAX_VALUE_CHARACTERS }),
    maxProperties: MAX_METADATA_PAIRS,
    description: `Up to ${MAX_METADATA_PAIRS} pairs. Names have at most ${MAX_NAME_CHARACTERS} characters, values ${MAX_VALUE_CHARACTERS}.`,
  },
)

export type Metadata = Readonly<Record<string, string>>

/** Metadata that fits the schema, whose names are checked here. Null is the same as none. */
export function readMetadata(metadata: Static<typeof StoredMetadata> | null | undefined): Metadata {
  const pairs = (metadata ?? {}) as Metadata
  for (const name of Object.keys(pairs)) {
    if (name.length <= MAX_NAME_CHARACTERS) continue
    const message = `Names in metadata may have at most ${MAX_NAME_CHARACTERS} characters.`
    throw new GatewayError('invalid_request', message, { param: 'metadata' })
  }
  return pairs
}
