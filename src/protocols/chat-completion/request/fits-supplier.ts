import { mayCarryEnvelope } from '../../../conversation/proof.ts'
import type { Traits } from '../../vocabulary/runtime/traits.ts'
import { asObject } from '../../../wire/json-values.ts'
import type { SupplierLimits } from '../../protocol.ts'
import { asKnownPart, type ChatMessage, type ChatRequest } from '../schema.ts'

/** Whether a supplier with these limits can be sent the client's own text. */
export function fitsSupplier(request: ChatRequest, text: string, limits: SupplierLimits): boolean {
  // A signature that we sealed has to be opened on its way to the supplier that made it.
  if (mayCarryEnvelope(text) || !fitsParameters(request, limits.traits)) return false
  return request.messages.every((message) => fitsMessage(message, limits))
}

function fitsParameters(request: ChatRequest, traits: Partial<Traits>): boolean {
  if ((request.n ?? 1) > (traits.maxChoices ?? Number.POSITIVE_INFINITY)) return false
  if (traits.stop === false && (request.stop?.length ?? 0) > 0) return false
  if (traits.logprobs === false && request.logprobs === true) return false
  const format = request.response_format?.type ?? 'text'
  if (format === 'json_schema') return (traits.structured ?? 'schema') === 'schema'
  return format === 'text' || traits.structured !== 'none'
}

function fitsMessage(message: ChatMessage, { traits, takesMessageNames }: SupplierLimits): boolean {
  if (traits.developerRole === false && message.role === 'developer') return false
  if (!takesMessageNames && 'name' in message && message.name) return false
  return fitsImages(message, traits) && hasThoughts(message, traits)
}

function fitsImages({ content }: ChatMessage, { vision, urlImages }: Partial<Traits>): boolean {
  if (!Array.isArray(content) || (vision !== false && urlImages !== false)) return true
  return content.every((part) => {
    const known = asKnownPart(part)
    return known?.type !== 'image_url' || (vision !== false && !/^https?:/i.test(known.image_url.url))
  })
}

/** Only with its calls does such a supplier want to see again what it thought; the gateway may remember it. */
function hasThoughts(message: ChatMessage, { needsReasoningContent }: Partial<Traits>): boolean {
  if (needsReasoningContent !== true || message.role !== 'assistant') return true
  return !message.tool_calls?.length || typeof asObject(message)?.reasoning_content === 'string'
}
