import type { Conversation } from '../../conversation/conversation.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { EncodedRequest, SupplyContext } from '../translation.ts'
import { FORMAT } from './format.ts'
import { PARAMETERS } from './parameters.ts'

/** Writes a request of this format again, such as one whose answer must be shorter. No other format is translated to it. */
export function encodeRequest(conversation: Conversation, context: SupplyContext): EncodedRequest {
  const dropped = new Set<string>()
  const body: Record<string, unknown> = {
    ...conversation.extras[FORMAT],
    model: context.upstreamModel,
    prompt: promptOf(conversation),
    ...(conversation.stream && { stream: true, stream_options: { include_usage: true } }),
  }
  PARAMETERS.encode(conversation, { body, dropped })
  return { body, dropped: [...dropped] }
}

function promptOf({ turns, instructions }: Conversation): string {
  const [turn, ...others] = turns
  const [part, ...more] = turn?.parts ?? []
  if (part?.type === 'text' && others.length + more.length + instructions.length === 0) return part.text
  throw new GatewayError('invalid_request', 'A completion continues one text.', { param: 'prompt' })
}
