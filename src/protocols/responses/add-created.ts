import { GatewayError } from '../../errors/gateway-error.ts'
import { findTopLevelMembers, insertMember, replaceMembers, type Span } from '../../wire/json-members.ts'
import { asObject, type JsonObject } from '../../wire/json-values.ts'

/** The text of a response object with `created` beside the `created_at` that suppliers send (spec 2.5). */
export function addCreated(text: string, response: unknown): string {
  const created = missingCreated(asObject(response))
  return created === null ? text : insertMember(text, 'created', String(created))
}

/** The text of an event with `created` added to the response inside it. */
export function addCreatedToEvent(text: string, event: JsonObject): string {
  const created = missingCreated(asObject(event.response))
  const span = created === null ? undefined : findMember(text, 'response')
  if (span === undefined) return text
  const json = insertMember(text.slice(span.start, span.end), 'created', String(created))
  return replaceMembers(text, [{ span, json }])
}

export function withCreated(response: JsonObject): JsonObject {
  const created = missingCreated(response)
  return created === null ? response : { ...response, created }
}

/** The time to add; null when it is there already or unknown. */
function missingCreated(response: JsonObject | null): number | null {
  if (response === null || response.created !== undefined) return null
  const { created_at } = response
  // A number too large to be held is read as infinite, which JSON cannot say.
  return typeof created_at === 'number' && Number.isFinite(created_at) ? Math.floor(created_at) : null
}

function findMember(text: string, name: string): Span | undefined {
  try {
    return findTopLevelMembers(text).get(name)
  } catch (error) {
    // A name that stands there twice: which of the two counts is not ours to say.
    if (error instanceof GatewayError) return undefined
    throw error
  }
}
