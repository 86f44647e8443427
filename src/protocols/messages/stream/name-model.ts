import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import { isTooDeep } from '../nesting.ts'

const encoder = new TextEncoder()

/**
 * The first event of an answer with the name the client knows the model by; null when it has that name already,
 * or nests too deeply to be written again.
 * Agents compare the two: what was thought by a model of another name they take for somebody else's and leave out of
 * the next request, which the supplier then refuses.
 */
export function nameModel(event: JsonObject, model: string): Uint8Array | null {
  const message = asObject(event.message)
  if (typeof message?.model !== 'string' || message.model === model || isTooDeep(event)) return null
  const named = { ...event, message: { ...message, model } }
  return encoder.encode(`event: message_start\ndata: ${JSON.stringify(named)}\n\n`)
}
