import type { Conversation, OutputFormat } from '../../../conversation/conversation.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import type { EncodedRequest, SupplyContext } from '../../translation.ts'
import { FORMAT } from '../parts.ts'
import { encodeContents } from './encode-contents.ts'
import { encodeSchema } from './encode-schema.ts'
import { MAX_STOPS } from './schema.ts'
import { encodeThinking } from './thinking.ts'
import { type EncodedTools, encodeToolChoice, encodeTools } from './tools.ts'

/** The body of a request. The model and the streaming method are in the path. */
export function encodeRequest(conversation: Conversation, context: SupplyContext): EncodedRequest {
  const canMix = context.traits.thinking.type === 'level'
  const tools = encodeTools(conversation.tools, canMix)
  const { config, instructions, dropped } = encodeConfig(conversation, context)
  const spoken = encodeContents(conversation.turns, context)
  const system = [...conversation.instructions.map(({ text }) => text), ...instructions]
  const extras = conversation.extras[FORMAT] ?? {}
  const toolConfig = { ...asObject(extras.toolConfig), ...encodeToolConfig(conversation, tools) }
  const generationConfig = { ...asObject(extras.generationConfig), ...config }
  // Suppliers reject a request without a user turn, so instructions alone become one.
  const isSystemSaid = conversation.turns.length === 0 && system.length > 0
  return {
    body: {
      ...extras,
      ...(system.length > 0 && !isSystemSaid && { systemInstruction: { parts: toTexts(system) } }),
      contents: isSystemSaid ? [{ role: 'user', parts: toTexts(system) }] : spoken.contents,
      ...(tools.tools.length > 0 && { tools: tools.tools }),
      ...withoutEmpty({ toolConfig, generationConfig }),
    },
    dropped: [
      ...new Set([...droppedParameters(conversation), ...tools.dropped, ...dropped, ...spoken.dropped]),
    ],
  }
}

function toTexts(texts: readonly string[]): JsonObject[] {
  return texts.map((text) => ({ text }))
}

/** Suppliers reject a tool choice without functions. */
function encodeToolConfig({ toolChoice }: Conversation, { hasFunctions, hasOwnTools }: EncodedTools) {
  if (!hasFunctions) return {}
  const isMixed = hasOwnTools
  const chosen = toolChoice === null ? null : encodeToolChoice(toolChoice)
  const isFree = chosen === null || chosen.mode === 'AUTO'
  const functionCallingConfig = isMixed && isFree ? { mode: 'VALIDATED' } : chosen
  return {
    ...(functionCallingConfig !== null && { functionCallingConfig }),
    // Suppliers accept functions beside hosted tools only with this flag.
    ...(isMixed && { includeServerSideToolInvocations: true }),
  }
}

function withoutEmpty(members: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => Object.keys(member).length > 0))
}

/** Parameters that this format has no field for. */
function droppedParameters(conversation: Conversation): string[] {
  const wishes: Readonly<Record<string, unknown>> = {
    parallel_tool_calls: conversation.parallelTools === false ? false : null,
    verbosity: conversation.verbosity,
    user: conversation.endUser,
    prompt_cache_key: conversation.cacheKey,
    metadata: conversation.metadata,
  }
  const unkept = Object.keys(wishes).filter((name) => wishes[name] !== null)
  const foreign = Object.entries(conversation.extras).flatMap(([format, extras]) =>
    format === FORMAT ? [] : Object.keys(extras),
  )
  return [...unkept, ...foreign]
}

interface EncodedConfig {
  readonly config: Record<string, unknown>
  /** Instructions that replace missing fields. */
  readonly instructions: readonly string[]
  readonly dropped: readonly string[]
}

/** The members of `generationConfig`. */
function encodeConfig(conversation: Conversation, context: SupplyContext): EncodedConfig {
  const { stop, output, reasoning } = conversation
  const sampled = encodeSampling(conversation, context)
  const shaped = encodeOutput(output, { ...context, hasTools: conversation.tools.length > 0 })
  const thinkingConfig = reasoning === null ? null : encodeThinking(reasoning, context.traits.thinking)
  const config = {
    ...sampled.config,
    ...(conversation.maxOutputTokens !== null && { maxOutputTokens: outputLimit(conversation, context) }),
    ...(context.traits.stop && stop.length > 0 && { stopSequences: encodeStop(stop) }),
    ...(conversation.choices > 1 && { candidateCount: conversation.choices }),
    ...encodeLogprobs(conversation.topLogprobs, context),
    ...shaped.config,
    ...(thinkingConfig !== null && Object.keys(thinkingConfig).length > 0 && { thinkingConfig }),
  }
  const dropped = reasoning !== null && thinkingConfig === null ? ['reasoning'] : []
  return { config, instructions: shaped.instructions, dropped: [...sampled.dropped, ...dropped] }
}

function outputLimit({ maxOutputTokens }: Conversation, { outputTokenLimit }: SupplyContext): number {
  return Math.min(maxOutputTokens ?? Infinity, outputTokenLimit ?? Infinity)
}

function encodeStop(stop: readonly string[]): readonly string[] {
  if (stop.length <= MAX_STOPS) return stop
  const message = `This model accepts at most ${MAX_STOPS} stop sequences.`
  throw new GatewayError('unsupported_parameter', message, { param: 'stop' })
}

function encodeLogprobs(topLogprobs: number | null, { traits }: SupplyContext): Record<string, unknown> {
  if (topLogprobs === null) return {}
  if (!traits.logprobs)
    throw new GatewayError('unsupported_parameter', 'This model does not return log probabilities.', {
      param: 'logprobs',
    })
  return { responseLogprobs: true, ...(topLogprobs > 0 && { logprobs: topLogprobs }) }
}

interface Wish {
  /** The name reported when the parameter is dropped. */
  readonly name: string
  readonly field: string
  readonly value: number | null
  readonly isTaken: boolean
}

function encodeSampling(conversation: Conversation, { traits }: SupplyContext) {
  const { temperature, topP, topK, seed, presencePenalty, frequencyPenalty } = conversation
  const isTaken = takesSampling(conversation, traits.sampling)
  const { penalties, isTemperatureOrTopP } = traits
  const isTopPTaken = isTaken && !(isTemperatureOrTopP && temperature !== null)
  const wishes: readonly Wish[] = [
    { name: 'temperature', field: 'temperature', value: temperature, isTaken },
    { name: 'top_p', field: 'topP', value: topP, isTaken: isTopPTaken },
    // Some clients disable it with a number below 1; here, omitting it does the same.
    { name: 'top_k', field: 'topK', value: topK !== null && topK < 1 ? null : topK, isTaken },
    { name: 'seed', field: 'seed', value: seed === null ? null : toInt32(seed), isTaken: true },
    { name: 'presence_penalty', field: 'presencePenalty', value: presencePenalty, isTaken: penalties },
    { name: 'frequency_penalty', field: 'frequencyPenalty', value: frequencyPenalty, isTaken: penalties },
  ]
  const given = wishes.filter(({ value }) => value !== null)
  return {
    config: Object.fromEntries(
      given.filter((wish) => wish.isTaken).map(({ field, value }) => [field, value]),
    ),
    dropped: given.filter((wish) => !wish.isTaken).map(({ name }) => name),
  }
}

function takesSampling({ reasoning }: Conversation, sampling: SupplyContext['traits']['sampling']): boolean {
  if (sampling !== 'only-without-thinking') return sampling === 'ok'
  return reasoning?.control.type === 'effort' && reasoning.control.effort === 'none'
}

// Seeds of other formats are wider than 32 bits; the mapping must be deterministic.
function toInt32(seed: number): number {
  return Number(BigInt.asIntN(32, BigInt(Math.trunc(seed))))
}

function encodeOutput(output: OutputFormat, { traits, hasTools }: SupplyContext & { hasTools: boolean }) {
  if (output.type === 'text') return { config: {}, instructions: [] }
  // Models without thinking levels reject a response format together with tools.
  const canForce = traits.structured !== 'none' && (!hasTools || traits.thinking.type === 'level')
  const mediaType = { responseMimeType: 'application/json' }
  if (output.type === 'json')
    return canForce
      ? { config: mediaType, instructions: [] }
      : { config: {}, instructions: ['Answer with one JSON object and nothing else.'] }
  const schema = encodeSchema(output.schema)
  if (canForce && traits.structured === 'schema')
    return { config: { ...mediaType, responseJsonSchema: schema }, instructions: [] }
  const inWords = `Answer with nothing but JSON that fits this JSON Schema:\n${JSON.stringify(schema)}`
  return { config: canForce ? mediaType : {}, instructions: [inWords] }
}
