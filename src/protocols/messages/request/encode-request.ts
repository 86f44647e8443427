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
import { PARAMETERS } from './parameters.ts'
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
  noteForeignExtras(conversation, encoding)
  const marked = capMarks(
    { tools: choice.tools, system: [...system, ...asArray(own.system).filter(isObject)], messages },
    own,
    context,
  )
  const body: Record<string, unknown> = {
    model: context.upstreamModel,
    max_tokens: own.max_tokens ?? thinking.maxTokens,
    ...(conversation.stream && { stream: true }),
    ...(marked.system.length > 0 && { system: marked.system }),
    messages: marked.messages,
    ...(marked.tools.length > 0 && { tools: marked.tools }),
    ...(choice.toolChoice !== null && { tool_choice: choice.toolChoice }),
  }
  PARAMETERS.encode(conversation, {
    body,
    dropped: encoding.dropped,
    conversation,
    traits: context.traits,
    thinking,
    isThinking: thinking.isOn || own.thinking !== undefined,
    outputFormat: output.format,
    own,
  })
  for (const [name, value] of Object.entries(own)) if (!PLACED_EXTRAS.has(name)) body[name] = value
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

function noteForeignExtras({ extras }: Conversation, { dropped }: Encoding): void {
  for (const [format, fields] of Object.entries(extras)) {
    if (format !== FORMAT) for (const name of Object.keys(fields)) dropped.add(name)
  }
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
