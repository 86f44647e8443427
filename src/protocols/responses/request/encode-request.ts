import { createHash } from 'node:crypto'
import type { Conversation, OutputFormat } from '../../../conversation/conversation.ts'
import { textPart } from '../../../conversation/part.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Traits } from '../../../vocabulary/runtime/traits.ts'
import { asArray, type JsonObject } from '../../../wire/json-values.ts'
import type { EncodedRequest, SupplyContext } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { effortFor, encodeReasoningRequest } from '../reasoning.ts'
import { TEXT_LOGPROBS } from './decode-request.ts'
import { ItemEncoder } from './encode-items.ts'
import { ENCRYPTED_REASONING } from './relay-body.ts'
import { encodeToolChoice, encodeTools } from './tools.ts'

const MIN_OUTPUT_TOKENS = 16
const MAX_KEY_LENGTH = 64

/** Encodes a conversation as a request to a supplier. */
export function encodeRequest(conversation: Conversation, context: SupplyContext): EncodedRequest {
  const { traits } = context
  const dropped = new Set<string>()
  const own: JsonObject = conversation.extras[FORMAT] ?? {}
  const { reasoning: _reasoning, include: _include, tool_choice: _choice, ...rest } = own
  const effort = effortFor(conversation.reasoning, traits)
  const reasoning = encodeReasoningRequest(conversation.reasoning, { effort, traits, own: own.reasoning })
  if (conversation.reasoning?.control.type === 'effort' && effort === null) dropped.add('reasoning_effort')
  const body: JsonObject = {
    model: context.upstreamModel,
    ...encodePrompt(conversation, context, dropped),
    ...encodeToolUse(conversation, own, dropped),
    ...encodeSampling(conversation, { traits, isThinking: effort !== 'none' }, dropped),
    ...encodeOutputLimit(conversation.maxOutputTokens, dropped),
    ...encodeLogprobs(conversation, traits),
    ...(reasoning !== null && { reasoning }),
    ...encodeText(conversation, traits, dropped),
    ...encodeInclude(conversation, traits, own),
    ...encodeKeys(conversation),
    ...encodeTier(conversation, own),
    ...rest,
    // The gateway stores the state, so that another supplier can continue.
    store: false,
    ...(conversation.stream && { stream: true }),
  }
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

function encodeToolUse(conversation: Conversation, own: JsonObject, dropped: Set<string>): JsonObject {
  const { tools, toolChoice, parallelTools } = conversation
  if (tools.length === 0) return {}
  const choice = toolChoice === null ? own.tool_choice : encodeToolChoice(toolChoice, tools)
  const searches = tools.flatMap((tool) => (tool.type === 'web-search' ? (tool.maxUses ?? []) : []))
  return {
    tools: encodeTools(tools, dropped),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(parallelTools !== null && { parallel_tool_calls: parallelTools }),
    ...(searches[0] !== undefined && own.max_tool_calls === undefined && { max_tool_calls: searches[0] }),
  }
}

interface SamplingOptions {
  readonly traits: Traits
  readonly isThinking: boolean
}

function encodeSampling(
  sampling: Conversation,
  { traits, isThinking }: SamplingOptions,
  dropped: Set<string>,
): JsonObject {
  const isRefused =
    traits.sampling === 'rejected' || (traits.sampling === 'only-without-thinking' && isThinking)
  const isEitherOr = traits.isTemperatureOrTopP && sampling.temperature !== null
  const wanted = {
    temperature: isRefused ? null : sampling.temperature,
    top_p: isRefused || isEitherOr ? null : sampling.topP,
  }
  const given = {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    seed: sampling.seed,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    n: sampling.choices > 1 ? sampling.choices : null,
  }
  const kept = Object.entries(wanted).filter(([, value]) => value !== null)
  for (const [name, value] of Object.entries(given)) {
    if (value !== null && !kept.some(([each]) => each === name)) dropped.add(name)
  }
  return Object.fromEntries(kept)
}

function encodeOutputLimit(limit: number | null, dropped: Set<string>): JsonObject {
  if (limit === null) return {}
  if (limit < MIN_OUTPUT_TOKENS) dropped.add('max_output_tokens')
  return { max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, limit) }
}

function encodeLogprobs({ topLogprobs }: Conversation, traits: Traits): JsonObject {
  if (topLogprobs === null) return {}
  if (traits.logprobs) return { top_logprobs: topLogprobs }
  throw new GatewayError('unsupported_parameter', 'This model gives no log probabilities.', {
    param: 'logprobs',
  })
}

function encodeText({ output, verbosity }: Conversation, traits: Traits, dropped: Set<string>): JsonObject {
  const format = encodeFormat(output, traits, dropped)
  if (format === null && verbosity === null) return {}
  return { text: { ...(format !== null && { format }), ...(verbosity !== null && { verbosity }) } }
}

function encodeFormat(output: OutputFormat, traits: Traits, dropped: Set<string>): JsonObject | null {
  if (output.type === 'text') return null
  if (traits.structured === 'none') {
    dropped.add('response_format')
    return null
  }
  if (output.type === 'json') return { type: 'json_object' }
  if (traits.structured === 'json') {
    dropped.add('json_schema')
    return { type: 'json_object' }
  }
  const { name, description, schema, strict } = output
  return {
    type: 'json_schema',
    name,
    ...(description !== null && { description }),
    schema,
    ...(strict !== null && { strict }),
  }
}

// Models without thinking refuse this value of `include`.
function encodeInclude({ topLogprobs }: Conversation, traits: Traits, own: JsonObject): JsonObject {
  const include = new Set<unknown>(asArray(own.include))
  if (traits.thinking.type !== 'none') include.add(ENCRYPTED_REASONING)
  if (topLogprobs !== null) include.add(TEXT_LOGPROBS)
  return include.size === 0 ? {} : { include: [...include] }
}

function encodeKeys({ endUser, cacheKey, metadata }: Conversation): JsonObject {
  // Requests of one end user often share a prefix, so the user id is the second-best cache key.
  const key = cacheKey ?? endUser
  return {
    ...(key !== null && { prompt_cache_key: shorten(key) }),
    ...(endUser !== null && { safety_identifier: shorten(endUser) }),
    ...(metadata !== null && { metadata }),
  }
}

/** Hashes keys that are too long for suppliers, and email addresses for privacy. */
function shorten(key: string): string {
  if (key.length <= MAX_KEY_LENGTH && !/^[^\s@]+@[^\s@]+$/.test(key)) return key
  return createHash('sha256').update(key).digest('hex')
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
