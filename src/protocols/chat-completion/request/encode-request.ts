import type { Conversation, Instruction } from '../../../conversation/conversation.ts'
import { type Effort, effortOf, nearestEffort } from '../../../conversation/effort.ts'
import type { Tool, ToolChoice } from '../../../conversation/tool.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { ThinkingControl } from '../../../vocabulary/runtime/traits.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { EncodedRequest, SupplyContext } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { encodeMessages } from './encode-messages.ts'
import { encodeCustom, encodeFunction, encodeWebSearch } from './tools.ts'

const MAX_STOP_SEQUENCES = 4
const JSON_ONLY = 'Answer with one JSON object and nothing else.'
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
  const body = {
    ...encodeExtras(conversation, dropped),
    model: context.upstreamModel,
    messages: encodeMessages(dialogue, context, dropped),
    ...(conversation.stream && { stream: true, stream_options: { include_usage: true } }),
    ...encodeLimits(conversation, context),
    ...encodeSampling(conversation, context, dropped),
    ...encodeReasoning(conversation, context.traits.thinking, dropped),
    ...output.fields,
    ...encodeLogprobs(conversation, context),
    ...encodeTools(conversation, dropped),
    ...encodeMetadata(conversation, dropped),
  }
  return { body, dropped: [...dropped] }
}

function refuse(param: string, message: string): never {
  throw new GatewayError('unsupported_parameter', message, { param })
}

/** Restores the extra fields of this format. Those of other formats are reported as dropped, or refused. */
function encodeExtras({ extras }: Conversation, dropped: Set<string>): JsonObject {
  for (const [format, fields] of Object.entries(extras)) {
    if (format === FORMAT) continue
    for (const name of Object.keys(fields)) {
      if (INDISPENSABLE.has(name)) refuse(name, `${name} is not available for this model.`)
      dropped.add(name)
    }
  }
  return extras[FORMAT] ?? {}
}

function encodeLimits({ maxOutputTokens, choices }: Conversation, { traits }: SupplyContext): JsonObject {
  return {
    ...(maxOutputTokens !== null && { [traits.maxTokensField]: maxOutputTokens }),
    ...(choices > 1 && { n: choices }),
  }
}

function encodeSampling(sampling: Conversation, { traits }: SupplyContext, dropped: Set<string>): JsonObject {
  if (sampling.stop.length > MAX_STOP_SEQUENCES) {
    refuse('stop', `This model takes at most ${MAX_STOP_SEQUENCES} stop sequences.`)
  }
  const isThinking = sampling.reasoning === null || effortOf(sampling.reasoning) !== 'none'
  const isTaken = traits.sampling === 'ok' || (traits.sampling === 'only-without-thinking' && !isThinking)
  const { temperature, topP, topK, seed, presencePenalty, frequencyPenalty, stop } = sampling
  const takesPenalties = isTaken && traits.penalties
  const isTopPTaken = isTaken && !(traits.isTemperatureOrTopP && temperature !== null)
  const fields: readonly (readonly [name: string, value: unknown, isTaken: boolean])[] = [
    ['temperature', temperature, isTaken],
    ['top_p', topP, isTopPTaken],
    ['top_k', topK, false],
    ['seed', seed, true],
    ['presence_penalty', presencePenalty, takesPenalties],
    ['frequency_penalty', frequencyPenalty, takesPenalties],
    ['stop', stop.length === 0 ? null : stop, traits.stop],
  ]
  return keepTaken(fields, dropped)
}

function keepTaken(
  fields: readonly (readonly [name: string, value: unknown, isTaken: boolean])[],
  dropped: Set<string>,
): JsonObject {
  const given = fields.filter(([, value]) => value !== null)
  for (const [name, , isTaken] of given) if (!isTaken) dropped.add(name)
  return Object.fromEntries(given.filter(([, , isTaken]) => isTaken).map(([name, value]) => [name, value]))
}

function encodeReasoning(
  { reasoning }: Conversation,
  control: ThinkingControl,
  dropped: Set<string>,
): JsonObject {
  const wanted = reasoning === null ? null : effortOf(reasoning)
  if (wanted === null) return {}
  const effort = nearestEffort(wanted, effortsOf(control))
  if (effort !== wanted && !(wanted === 'none' && control.type === 'none')) dropped.add('reasoning_effort')
  return effort === null ? {} : { reasoning_effort: effort }
}

function effortsOf(control: ThinkingControl): readonly Effort[] {
  switch (control.type) {
    case 'none':
      return []
    case 'effort':
    case 'adaptive':
      return control.efforts
    case 'level':
      return control.levels
    case 'budget':
      return control.canDisable ? ['none', 'low', 'medium', 'high'] : ['low', 'medium', 'high']
  }
}

interface EncodedOutput {
  readonly fields: JsonObject
  /** Tells the model in the prompt what the fields cannot express, or what suppliers require there. */
  readonly note: Instruction | null
  readonly isChanged: boolean
}

function encodeOutput(conversation: Conversation, { traits }: SupplyContext): EncodedOutput {
  const { output } = conversation
  if (output.type === 'text') return { fields: {}, note: null, isChanged: false }
  if (output.type === 'schema' && traits.structured === 'schema') {
    const { name, description, schema, strict } = output
    const described = { name, ...(description !== null && { description }), schema }
    const format = { type: 'json_schema', json_schema: { ...described, ...(strict !== null && { strict }) } }
    return { fields: { response_format: format }, note: null, isChanged: false }
  }
  const words =
    output.type === 'json'
      ? JSON_ONLY
      : `${JSON_ONLY} It must fit this schema:\n${JSON.stringify(output.schema)}`
  const fields = traits.structured === 'none' ? {} : { response_format: { type: 'json_object' } }
  // Suppliers refuse this response format unless the prompt mentions JSON.
  const isMentioned = output.type === 'json' && traits.structured !== 'none' && mentionsJson(conversation)
  const isChanged = output.type === 'schema' || traits.structured === 'none'
  return { fields, note: isMentioned ? null : { text: words, cache: null }, isChanged }
}

function mentionsJson({ instructions, turns }: Conversation): boolean {
  const isMentioned = (text: string) => /json/i.test(text)
  if (instructions.some(({ text }) => isMentioned(text))) return true
  return turns.some(({ parts }) => parts.some((part) => part.type === 'text' && isMentioned(part.text)))
}

function encodeLogprobs({ topLogprobs }: Conversation, { traits }: SupplyContext): JsonObject {
  if (topLogprobs === null) return {}
  if (!traits.logprobs) refuse('logprobs', 'This model does not report log probabilities.')
  return { logprobs: true, ...(topLogprobs > 0 && { top_logprobs: topLogprobs }) }
}

function encodeTools(conversation: Conversation, dropped: Set<string>): JsonObject {
  const { toolChoice, parallelTools } = conversation
  const offered = allowedTools(conversation)
  const search = offered.find((tool) => tool.type === 'web-search')
  if (search && (search.allowedDomains ?? search.blockedDomains ?? search.maxUses) !== null) {
    dropped.add('web_search')
  }
  const tools = offered.flatMap(encodeTool)
  const options = search === undefined ? {} : { web_search_options: encodeWebSearch(search) }
  // Suppliers refuse an empty list, and a tool choice without tools.
  if (tools.length === 0) return options
  return {
    tools,
    ...(toolChoice !== null && { tool_choice: encodeToolChoice(toolChoice, offered) }),
    ...(parallelTools !== null && { parallel_tool_calls: parallelTools }),
    ...options,
  }
}

// Few suppliers support a list of allowed tools, so only the allowed tools are sent.
function allowedTools({ tools, toolChoice }: Conversation): readonly Tool[] {
  if (toolChoice?.type !== 'allowed') return tools
  const names = new Set(toolChoice.names)
  return tools.filter((tool) => !('name' in tool) || names.has(tool.name))
}

function encodeTool(tool: Tool): JsonObject[] {
  switch (tool.type) {
    case 'function':
      return [encodeFunction(tool)]
    case 'custom':
      return [encodeCustom(tool)]
    case 'web-search':
      return []
    case 'hosted':
      if (tool.format === FORMAT) return [tool.value as JsonObject]
      return refuse('tools', `The tool ${tool.kind} is not available for this model.`)
  }
}

function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[]): unknown {
  switch (choice.type) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.type
    case 'allowed':
      return choice.isRequired ? 'required' : 'auto'
    case 'named': {
      const { name } = choice
      const isCustom = tools.some((tool) => tool.type === 'custom' && tool.name === name)
      return isCustom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } }
    }
  }
}

function encodeMetadata(conversation: Conversation, dropped: Set<string>): JsonObject {
  const { verbosity, endUser, cacheKey, metadata, extras } = conversation
  // Suppliers refuse metadata unless the answer is stored.
  const isStored = extras[FORMAT]?.store === true
  if (metadata !== null && !isStored) dropped.add('metadata')
  return {
    ...(verbosity !== null && { verbosity }),
    ...(endUser !== null && { user: endUser }),
    ...(cacheKey !== null && { prompt_cache_key: cacheKey }),
    ...(metadata !== null && isStored && { metadata }),
  }
}
