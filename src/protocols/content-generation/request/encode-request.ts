import type { Conversation } from '../../../conversation/conversation.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import type { EncodedRequest, SupplyContext } from '../../translation.ts'
import { FORMAT } from '../proofs.ts'
import { encodeConfig } from './encode-config.ts'
import { encodeContents } from './encode-contents.ts'
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
