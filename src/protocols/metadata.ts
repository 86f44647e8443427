import Type, { type Static } from 'typebox'
import { GatewayError } from '../errors/gateway-error.ts'
import { MAX_METADATA_PAIRS } from './request-limits.ts'

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
