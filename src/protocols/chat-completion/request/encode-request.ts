import type { Conversation } from '../../../conversation/conversation.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { EncodedRequest, SupplyContext } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { encodeMessages } from './encode-messages.ts'
import { encodeOutput } from './output.ts'
import { PARAMETERS } from './parameters.ts'

/** Fields that name content stored at another supplier. Without it the answer would be wrong, so they are refused. */
const INDISPENSABLE: ReadonlySet<string> = new Set(['cachedContent', 'cached_content'])

export function encodeRequest(conversation: Conversation, context: SupplyContext): EncodedRequest {
  const dropped = new Set<string>()
  const output = encodeOutput(conversation, context)
  if (output.isChanged) dropped.add('response_format')
  const instructions = output.note === null ? [] : [output.note]
  const dialogue = {
    turns: conversation.turns,
    instructions: [...conversation.instructions, ...instructions],
  }
  const body: Record<string, unknown> = {
    ...encodeExtras(conversation, dropped),
    model: context.upstreamModel,
    messages: encodeMessages(dialogue, context, dropped),
    ...(conversation.stream && { stream: true, stream_options: { include_usage: true } }),
  }
  PARAMETERS.encode(conversation, { body, dropped, conversation, traits: context.traits, output })
  return { body, dropped: [...dropped] }
}

/** Restores the extra fields of this format. Those of other formats are reported as dropped, or refused. */
function encodeExtras({ extras }: Conversation, dropped: Set<string>): JsonObject {
  for (const [format, fields] of Object.entries(extras)) {
    if (format === FORMAT) continue
    for (const name of Object.keys(fields)) {
      if (INDISPENSABLE.has(name)) refuse(name)
      dropped.add(name)
    }
  }
  return extras[FORMAT] ?? {}
}

function refuse(param: string): never {
  const message = `The supplier of this model has no ${param}. Remove it, or choose another model.`
  throw new GatewayError('unsupported_parameter', message, { param })
}
