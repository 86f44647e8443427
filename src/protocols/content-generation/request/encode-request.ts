import type { Conversation } from '../../../conversation/conversation.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { EncodedRequest, SupplyContext } from '../../translation.ts'
import { FORMAT } from '../parts.ts'
import { encodeContents } from './encode-contents.ts'
import { encodeSchema } from './encode-schema.ts'
import { PARAMETERS } from './parameters.ts'
import { type EncodedTools, encodeToolChoice, encodeTools } from './tools.ts'

/** The body of a request. The model and the streaming method are in the path. */
export function encodeRequest(conversation: Conversation, context: SupplyContext): EncodedRequest {
  const canMix = context.traits.thinking.type === 'level'
  const tools = encodeTools(conversation.tools, canMix)
  const own = placeExtras(conversation.extras[FORMAT] ?? {})
  const output = encodeOutput(conversation, context)
  const { generationConfig } = own
  const dropped = new Set<string>()
  PARAMETERS.encode(conversation, {
    body: generationConfig,
    dropped,
    conversation,
    context,
    outputFields: output.config,
  })
  const encoded = encodeContents(conversation.turns, context)
  const system = [...conversation.instructions.map(({ text }) => text), ...output.instructions]
  const toolConfig = { ...own.toolConfig, ...encodeToolConfig(conversation, tools) }
  // Suppliers reject a request without a user turn, so instructions alone become one.
  const isSystemOnly = conversation.turns.length === 0 && system.length > 0
  return {
    body: {
      ...own.others,
      ...(system.length > 0 && !isSystemOnly && { systemInstruction: { parts: toTexts(system) } }),
      contents: isSystemOnly ? [{ role: 'user', parts: toTexts(system) }] : encoded.contents,
      ...(tools.tools.length > 0 && { tools: tools.tools }),
      ...withoutEmpty({ toolConfig, generationConfig }),
    },
    dropped: [...new Set([...dropped, ...foreignExtras(conversation), ...tools.dropped, ...encoded.dropped])],
  }
}

interface PlacedExtras {
  readonly generationConfig: Record<string, unknown>
  readonly toolConfig: Record<string, unknown>
  readonly others: Record<string, unknown>
}

/** Extras are named by their place in the body: `labels`, `generationConfig.speechConfig`. */
function placeExtras(extras: JsonObject): PlacedExtras {
  const placed: PlacedExtras = { generationConfig: {}, toolConfig: {}, others: {} }
  for (const [path, value] of Object.entries(extras)) {
    const [place = '', ...rest] = path.split('.')
    const name = rest.join('.')
    if (name !== '' && (place === 'generationConfig' || place === 'toolConfig')) placed[place][name] = value
    else placed.others[path] = value
  }
  return placed
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

function foreignExtras({ extras }: Conversation): string[] {
  return Object.entries(extras).flatMap(([format, fields]) => (format === FORMAT ? [] : Object.keys(fields)))
}

function encodeOutput({ output, tools }: Conversation, { traits }: SupplyContext) {
  if (output.type === 'text') return { config: {}, instructions: [] }
  // Models without thinking levels reject a response format together with tools.
  const canForce = traits.structured !== 'none' && (tools.length === 0 || traits.thinking.type === 'level')
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
