import Type, { type TSchema } from 'typebox'
import type { BodyContract } from '../vocabulary/runtime/contract.ts'

export const MODEL_NOTE = 'A model id from `GET /v1/models`.'
export const STREAM_NOTE = 'True: the answer comes as server-sent events.'
export const MAX_TOKENS_NOTE =
  'The most tokens to generate. What they may cost is held while the request runs.'
export const UNIX_SECONDS_NOTE = 'Unix time in seconds.'

const UNKNOWN_FIELDS = 'Fields that are not listed are allowed and passed on to suppliers of the same format.'
const CHECKED = 'The kinds whose fields are checked. Other kinds are passed on as they are.'

/** A request as the API document shows it: what is not named is allowed. */
export function requestBody(name: string, schema: TSchema, example: unknown): BodyContract {
  return { name, schema: { ...schema, description: UNKNOWN_FIELDS }, example }
}

/** What may stand in a list whose elements are checked one by one, after the request itself. */
export function oneOfKinds(kinds: Readonly<Record<string, TSchema>>): TSchema {
  return Type.Union(Object.values(kinds), { description: CHECKED })
}

/** The same for kinds that are found by their `type` and do not name it themselves. */
export function oneOfTypes(kinds: Readonly<Record<string, TSchema>>): TSchema {
  const typed = Object.entries(kinds).map(([type, schema]) =>
    Type.Intersect([Type.Object({ type: Type.Literal(type) }), schema]),
  )
  return Type.Union(typed, { description: CHECKED })
}
