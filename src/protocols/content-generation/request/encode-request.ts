import type { Conversation, OutputFormat, Sampling } from '../../../conversation/conversation.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import type { EncodedRequest, SupplyContext } from '../../translation.ts'
import { FORMAT } from '../parts.ts'
import { encodeContents } from './encode-contents.ts'
import { encodeSchema } from './encode-schema.ts'
import { encodeThinking } from './thinking.ts'
import { type EncodedTools, encodeToolChoice, encodeTools } from './tools.ts'

/** The body of a request; the model and whether it streams are said in the address. */
export function encodeRequest(conversation: Conversation, context: SupplyContext): EncodedRequest {
  const canMix = context.traits.thinking.type === 'level'
  const tools = encodeTools(conversation.tools, canMix)
  const { config, instructions, dropped } = encodeConfig(conversation, context)
  const spoken = encodeContents(conversation.turns, context)
  const system = [...conversation.instructions.map(({ text }) => text), ...instructions]
  const extras = conversation.extras[FORMAT] ?? {}
  const toolConfig = { ...asObject(extras.toolConfig), ...encodeToolConfig(conversation, tools) }
  const generationConfig = { ...asObject(extras.generationConfig), ...config }
  // Suppliers refuse a request in which nobody asks anything; then the instructions are the question.
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

/** A choice without functions to choose from is refused. */
function encodeToolConfig({ toolChoice }: Conversation, { hasFunctions, hasOwnTools }: EncodedTools) {
  if (!hasFunctions) return {}
  const isMixed = hasOwnTools
  const chosen = toolChoice === null ? null : encodeToolChoice(toolChoice)
  const isFree = chosen === null || chosen.mode === 'AUTO'
  const functionCallingConfig = isMixed && isFree ? { mode: 'VALIDATED' } : chosen
  return {
    ...(functionCallingConfig !== null && { functionCallingConfig }),
    // Functions beside the supplier's own tools are taken only when it may tell of the calls it makes itself.
    ...(isMixed && { includeServerSideToolInvocations: true }),
  }
}

function withoutEmpty(members: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => Object.keys(member).length > 0))
}

/** What no field of this format can say. */
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

const MOST_STOP_SEQUENCES = 5

interface EncodedConfig {
  readonly config: Record<string, unknown>
  /** What has to be said in words because no field can say it. */
  readonly instructions: readonly string[]
  readonly dropped: readonly string[]
}

/** Everything that stands under `generationConfig`. */
function encodeConfig(conversation: Conversation, context: SupplyContext): EncodedConfig {
  const { sampling, output, reasoning } = conversation
  const sampled = encodeSampling(conversation, context)
  const shaped = encodeOutput(output, { ...context, hasTools: conversation.tools.length > 0 })
  const thinkingConfig = reasoning === null ? null : encodeThinking(reasoning, context.traits.thinking)
  const config = {
    ...sampled.config,
    ...(conversation.maxOutputTokens !== null && { maxOutputTokens: outputLimit(conversation, context) }),
    ...(context.traits.stop && sampling.stop.length > 0 && { stopSequences: encodeStop(sampling) }),
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

function encodeStop({ stop }: Sampling): readonly string[] {
  if (stop.length <= MOST_STOP_SEQUENCES) return stop
  const message = `The supplier of this model takes at most ${MOST_STOP_SEQUENCES} stop sequences.`
  throw new GatewayError('unsupported_parameter', message, { param: 'stop' })
}

function encodeLogprobs(topLogprobs: number | null, { traits }: SupplyContext): Record<string, unknown> {
  if (topLogprobs === null) return {}
  if (!traits.logprobs)
    throw new GatewayError('unsupported_parameter', 'This model reports no log probabilities.', {
      param: 'logprobs',
    })
  return { responseLogprobs: true, ...(topLogprobs > 0 && { logprobs: topLogprobs }) }
}

interface Wish {
  /** The name under which it is reported when it cannot be kept. */
  readonly name: string
  readonly field: string
  readonly value: number | null
  readonly isTaken: boolean
}

function encodeSampling(conversation: Conversation, { traits }: SupplyContext) {
  const { temperature, topP, topK, seed, presencePenalty, frequencyPenalty } = conversation.sampling
  const isTaken = takesSampling(conversation, traits.sampling)
  const { penalties, isTemperatureOrTopP } = traits
  const isTopPTaken = isTaken && !(isTemperatureOrTopP && temperature !== null)
  const wishes: readonly Wish[] = [
    { name: 'temperature', field: 'temperature', value: temperature, isTaken },
    { name: 'top_p', field: 'topP', value: topP, isTaken: isTopPTaken },
    // Some clients switch it off with a number below 1, which here is what leaving it out does.
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

// Other formats' seeds are wider; the same seed still has to give the same number every time.
function toInt32(seed: number): number {
  return Number(BigInt.asIntN(32, BigInt(Math.trunc(seed))))
}

function encodeOutput(output: OutputFormat, { traits, hasTools }: SupplyContext & { hasTools: boolean }) {
  if (output.type === 'text') return { config: {}, instructions: [] }
  // Models before thinking levels refuse a response format beside tools.
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
