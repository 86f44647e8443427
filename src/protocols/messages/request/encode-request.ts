import { createHash } from 'node:crypto'
import type { Conversation, OutputFormat } from '../../../conversation/conversation.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Traits } from '../../../vocabulary/runtime/traits.ts'
import { asArray, asObject, isObject, type JsonObject } from '../../../wire/json-values.ts'
import type { EncodedRequest, SupplyContext } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { keepLastMarks, MAX_CACHE_MARKS } from './cache.ts'
import { type Encoding, isThought } from './encode-blocks.ts'
import { type EncodedThinking, encodeThinking } from './encode-thinking.ts'
import { encodeTurns, type WireMessage } from './encode-turns.ts'
import { toSchemaDialect } from './schema-dialect.ts'
import { type EncodedChoice, encodeToolChoice } from './tool-choice.ts'
import { encodeTool, recreateTools } from './tools.ts'

/** Used when the model's limit is unknown; every model of this format accepts it. */
const DEFAULT_MAX_TOKENS = 32_000

/** Extras that are merged into other members; all others become members of the body. */
const PLACED_EXTRAS: ReadonlySet<string> = new Set([
  'tools',
  'system',
  'thinking',
  'output_config',
  'metadata',
  'max_tokens',
])

export function encodeRequest(conversation: Conversation, context: SupplyContext): EncodedRequest {
  refuseImpossible(conversation)
  const encoding: Encoding = { context, dropped: new Set() }
  const own = conversation.extras[FORMAT] ?? {}
  const output = encodeOutput(conversation.output, context.traits, encoding.dropped)
  const { system, messages } = encodeTurns(withInstruction(conversation, output), encoding)
  const choice = encodeTools(conversation, messages, encoding)
  const thinking = chooseThinking(conversation, { messages, choice, context })
  const isThinking = thinking.isOn || own.thinking !== undefined
  noteLosses(conversation, thinking, encoding)
  const marked = capMarks(
    { tools: choice.tools, system: [...system, ...asArray(own.system).filter(isObject)], messages },
    own,
    context,
  )
  const body = {
    model: context.upstreamModel,
    max_tokens: own.max_tokens ?? thinking.maxTokens,
    ...(conversation.stream && { stream: true }),
    ...(marked.system.length > 0 && { system: marked.system }),
    messages: marked.messages,
    ...(marked.tools.length > 0 && { tools: marked.tools }),
    ...(choice.toolChoice !== null && { tool_choice: choice.toolChoice }),
    ...encodeThinkingMember(thinking, own),
    ...encodeOutputConfig(output, thinking, own),
    ...encodeSampling(conversation, {
      traits: context.traits,
      isThinking,
      dropped: encoding.dropped,
    }),
    ...encodeMetadata(conversation, own),
    ...Object.fromEntries(Object.entries(own).filter(([name]) => !PLACED_EXTRAS.has(name))),
  }
  return { body, dropped: [...encoding.dropped] }
}

function refuseImpossible({ choices, topLogprobs, extras }: Conversation): void {
  if (choices > 1) refuse('This model returns one answer per request. Set n to 1.', 'n')
  if (topLogprobs !== null) refuse('This model does not return log probabilities.', 'logprobs')
  for (const [format, fields] of Object.entries(extras)) {
    if (format !== FORMAT && fields.cachedContent) {
      refuse('Cached content can be used only with the supplier that holds it.', 'cachedContent')
    }
  }
}

function refuse(message: string, param: string): never {
  throw new GatewayError('unsupported_parameter', message, { param })
}

function withInstruction(conversation: Conversation, { instruction }: EncodedOutput): Conversation {
  if (instruction === null) return conversation
  const instructions = [...conversation.instructions, { text: instruction, cache: null }]
  return { ...conversation, instructions }
}

function encodeTools(
  conversation: Conversation,
  messages: readonly WireMessage[],
  { context, dropped }: Encoding,
): EncodedChoice {
  const isStrictPossible = context.traits.structured === 'schema'
  const extras = asObject(conversation.extras[FORMAT]?.tools) ?? {}
  const tools = conversation.tools.map((tool) => encodeTool(tool, { isStrictPossible, extras, dropped }))
  if (tools.length > 0) return encodeToolChoice(conversation, tools)
  const recreated = recreateTools(messages.map(({ content }) => ({ content })))
  // The client no longer offers tools, so the model may not call any.
  return { tools: recreated, toolChoice: recreated.length === 0 ? null : { type: 'none' } }
}

interface ThinkingInputs {
  readonly messages: readonly WireMessage[]
  readonly choice: EncodedChoice
  readonly context: SupplyContext
}

function chooseThinking(
  { reasoning, maxOutputTokens }: Conversation,
  { messages, choice, context }: ThinkingInputs,
): EncodedThinking {
  const isForced = choice.toolChoice?.type === 'any' || choice.toolChoice?.type === 'tool'
  const isByBudget = context.traits.thinking.type === 'budget'
  return encodeThinking(reasoning, {
    control: context.traits.thinking,
    maxTokens: maxOutputTokens ?? context.outputTokenLimit ?? DEFAULT_MAX_TOKENS,
    outputTokenLimit: context.outputTokenLimit,
    isBarred: isForced || (isByBudget && mustNotThink(messages)),
  })
}

/** Thinking cannot start in a turn to be continued, or in a tool loop whose last call has no thought. */
function mustNotThink(messages: readonly WireMessage[]): boolean {
  const last = messages.at(-1)
  if (last?.role === 'assistant') return true
  const isInLoop = last?.content.some(({ type }) => type === 'tool_result') ?? false
  const caller = messages.findLast(({ role }) => role === 'assistant')
  const first = caller?.content[0]
  return isInLoop && (first === undefined || !isThought(first))
}

function noteLosses(
  { reasoning, verbosity, metadata, extras, maxOutputTokens }: Conversation,
  thinking: EncodedThinking,
  { dropped }: Encoding,
): void {
  const control = reasoning?.control
  const isWanted = control !== undefined && control.type !== 'unsaid' && !isOff(control)
  if (isWanted && !thinking.isOn && thinking.effort === null) dropped.add('reasoning')
  if (maxOutputTokens !== null && thinking.maxTokens !== maxOutputTokens) dropped.add('max_tokens')
  if (verbosity !== null) dropped.add('verbosity')
  if (metadata !== null) dropped.add('metadata')
  for (const [format, fields] of Object.entries(extras)) {
    if (format !== FORMAT) for (const name of Object.keys(fields)) dropped.add(name)
  }
}

function isOff(control: NonNullable<Conversation['reasoning']>['control']): boolean {
  return control.type === 'effort'
    ? control.effort === 'none'
    : control.type === 'budget' && control.tokens === 0
}

type Sections = Parameters<typeof keepLastMarks>[0]

// A mark at the top of the body counts towards the limit.
function capMarks(
  sections: Omit<Sections, 'messages'> & { messages: readonly WireMessage[] },
  own: JsonObject,
  { traits }: SupplyContext,
): Sections {
  const most = traits.cacheBreakpoints ? MAX_CACHE_MARKS - (isObject(own.cache_control) ? 1 : 0) : 0
  return keepLastMarks({ ...sections, messages: sections.messages.map((message) => ({ ...message })) }, most)
}

function encodeThinkingMember({ thinking }: EncodedThinking, own: JsonObject): JsonObject {
  const member = own.thinking ?? thinking
  return member === null ? {} : { thinking: member }
}

function encodeOutputConfig(
  { format }: EncodedOutput,
  { effort }: EncodedThinking,
  own: JsonObject,
): JsonObject {
  const config = {
    ...asObject(own.output_config),
    ...(effort !== null && { effort }),
    ...(format !== null && { format }),
  }
  return Object.keys(config).length === 0 ? {} : { output_config: config }
}

function encodeMetadata({ endUser }: Conversation, own: JsonObject): JsonObject {
  const metadata = { ...asObject(own.metadata), ...(endUser !== null && { user_id: nameUser(endUser) }) }
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}

// Suppliers ask not to send personal data, so an e-mail address is replaced by its hash.
function nameUser(endUser: string): string {
  if (!isMailAddress(endUser)) return endUser
  return createHash('sha256').update(endUser).digest('base64url')
}

// A single regular expression would backtrack at every dot of a long name.
function isMailAddress(name: string): boolean {
  const [local = '', domain = '', ...rest] = name.split('@', 3)
  const dot = domain.indexOf('.', 1)
  return local !== '' && rest.length === 0 && dot > 0 && dot < domain.length - 1 && !/\s/.test(name)
}

interface EncodedOutput {
  /** The `format` member of `output_config`; null when there is none. */
  readonly format: JsonObject | null
  /** The same request as an instruction; null when it is not needed. */
  readonly instruction: string | null
}

/** The required shape of the answer. A model without structured output is asked for it in the prompt. */
function encodeOutput(output: OutputFormat, { structured }: Traits, dropped: Set<string>): EncodedOutput {
  switch (output.type) {
    case 'text':
      return { format: null, instruction: null }
    case 'json':
      dropped.add('response_format')
      return { format: null, instruction: 'Answer with one JSON object only, without any text around it.' }
    case 'schema':
      if (structured === 'schema') {
        return { format: { type: 'json_schema', schema: toSchemaDialect(output.schema) }, instruction: null }
      }
      dropped.add('response_format')
      return { format: null, instruction: askForSchema(output.schema) }
  }
}

function askForSchema(schema: JsonObject): string {
  const asked = 'Answer with JSON only, without any text around it, that is valid against this JSON Schema:'
  return `${asked}\n${JSON.stringify(schema)}`
}

/** With thinking, suppliers accept only a top_p close to 1. */
const MIN_TOP_P_WITH_THINKING = 0.95

interface SamplingSituation {
  readonly traits: Traits
  readonly isThinking: boolean
  readonly dropped: Set<string>
}

/** The sampling fields that the model accepts; the others are added to `dropped`. */
function encodeSampling(sampling: Conversation, situation: SamplingSituation): JsonObject {
  const { dropped } = situation
  if (sampling.seed !== null) dropped.add('seed')
  if (sampling.presencePenalty !== null) dropped.add('presence_penalty')
  if (sampling.frequencyPenalty !== null) dropped.add('frequency_penalty')
  return { ...encodeChance(sampling, situation), ...encodeStop(sampling.stop, situation) }
}

function encodeChance(
  { temperature, topP, topK }: Conversation,
  { traits, isThinking, dropped }: SamplingSituation,
): JsonObject {
  const isRefused =
    traits.sampling === 'rejected' || (traits.sampling === 'only-without-thinking' && isThinking)
  const isFixed = isRefused || isThinking
  const isTopPFree = !isRefused && (!isThinking || (topP ?? 0) >= MIN_TOP_P_WITH_THINKING)
  const isEither = traits.isTemperatureOrTopP && temperature !== null && !isFixed
  const fields = {
    temperature: isFixed ? null : temperature && Math.min(temperature, 1),
    top_p: isTopPFree && !isEither ? topP : null,
    top_k: isFixed ? null : topK,
  }
  const asked = { temperature, top_p: topP, top_k: topK }
  for (const name of ['temperature', 'top_p', 'top_k'] as const) {
    // With thinking the temperature is always 1, so asking for 1 loses nothing.
    const isKept = fields[name] === asked[name] || (name === 'temperature' && isFixed && asked[name] === 1)
    if (!isKept) dropped.add(name)
  }
  return withoutNulls(fields)
}

function encodeStop(stop: readonly string[], { traits, dropped }: SamplingSituation): JsonObject {
  // Suppliers reject blank stop sequences.
  const taken = traits.stop ? stop.filter((text) => text.trim() !== '') : []
  if (taken.length < stop.length) dropped.add('stop')
  return taken.length === 0 ? {} : { stop_sequences: taken }
}

function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
