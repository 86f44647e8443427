import type { Conversation, OutputFormat } from '../../../conversation/conversation.ts'
import { textPart } from '../../../conversation/part.ts'
import type { Traits } from '../../../vocabulary/runtime/traits.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { EncodedRequest, SupplyContext } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { effortFor } from '../reasoning.ts'
import { ItemEncoder } from './encode-items.ts'
import { PARAMETERS } from './parameters.ts'

/** Encodes a conversation as a request to a supplier. */
export function encodeRequest(conversation: Conversation, context: SupplyContext): EncodedRequest {
  const { traits } = context
  const dropped = new Set<string>()
  const own: JsonObject = conversation.extras[FORMAT] ?? {}
  const { reasoning: _reasoning, include: _include, tool_choice: _choice, ...rest } = own
  const effort = effortFor(conversation.reasoning, traits)
  const body: Record<string, unknown> = {
    model: context.upstreamModel,
    ...encodePrompt(conversation, context, dropped),
  }
  PARAMETERS.encode(conversation, { body, dropped, conversation, traits, effort, own })
  Object.assign(body, encodeTier(conversation, own), rest, {
    // The gateway stores the state, so that another supplier can continue.
    store: false,
    ...(conversation.stream && { stream: true }),
  })
  noteOtherExtras(conversation, dropped)
  return { body, dropped: [...dropped] }
}

function encodePrompt(conversation: Conversation, context: SupplyContext, dropped: Set<string>): JsonObject {
  const { instructions, turns, output } = conversation
  const encoder = new ItemEncoder(context, dropped)
  const isMarked = context.traits.cacheBreakpoints && instructions.some(({ cache }) => cache !== null)
  // Cache marks need parts, and without turns the input would be empty.
  const asItems = isMarked || turns.length === 0
  if (asItems)
    encoder.addMessage(
      'developer',
      instructions.map(({ text, cache }) => textPart(text, cache)),
    )
  for (const turn of turns) encoder.add(turn)
  const words = jsonNote(output, context.traits, encoder.items)
  if (words !== null) encoder.addMessage('developer', [textPart(words)])
  const input = encoder.items
  if (asItems || instructions.length === 0) return { input }
  return { instructions: instructions.map(({ text }) => text).join('\n\n'), input }
}

const JSON_ONLY = 'Answer with one JSON object.'

/** The text that asks for JSON when no field can, or when suppliers require it in the prompt. */
function jsonNote(output: OutputFormat, { structured }: Traits, items: readonly JsonObject[]): string | null {
  if (output.type === 'text' || (output.type === 'schema' && structured === 'schema')) return null
  if (output.type === 'schema')
    return `${JSON_ONLY} It must fit this schema:\n${JSON.stringify(output.schema)}`
  // Suppliers refuse `json_object` unless the input mentions JSON.
  const isMentioned = structured !== 'none' && /json/i.test(JSON.stringify(items))
  return isMentioned ? null : JSON_ONLY
}

const TIERS: ReadonlySet<unknown> = new Set([
  'auto',
  'default',
  'flex',
  'scale',
  'priority',
  'fast',
  'ultrafast',
])

/** Several formats share this field and most of its values. */
function encodeTier({ extras }: Conversation, own: JsonObject): JsonObject {
  if (own.service_tier !== undefined) return {}
  const tier = Object.values(extras).find((extra) => TIERS.has(extra.service_tier))?.service_tier
  return tier === undefined ? {} : { service_tier: tier }
}

function noteOtherExtras({ extras }: Conversation, dropped: Set<string>): void {
  for (const [format, extra] of Object.entries(extras)) {
    if (format === FORMAT) continue
    for (const [name, value] of Object.entries(extra)) {
      if (name !== 'service_tier' || !TIERS.has(value)) dropped.add(name)
    }
  }
}
