import { createHash } from 'node:crypto'
import type { Conversation, Extras, OutputFormat } from '../../../conversation/conversation.ts'
import { EFFORTS, type Effort, type ReasoningRequest } from '../../../conversation/effort.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { FORMAT } from '../format.ts'
import { decodeTurns } from './decode-turns.ts'
import type { MessagesRequest } from './schema.ts'
import { decodeParallelTools, decodeToolChoice } from './tool-choice.ts'
import { decodeTool, decodeToolExtras } from './tools.ts'

/** Fields that the neutral model covers completely. */
const NEUTRAL_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'tools',
  'tool_choice',
  'system',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
])

/** Other formats limit cache keys to this length. */
const MAX_CACHE_KEY_CHARACTERS = 64

export function decodeRequest(request: MessagesRequest): Conversation {
  const endUser = request.metadata?.user_id || null
  return {
    ...decodeTurns(request),
    model: request.model,
    stream: request.stream === true,
    tools: (request.tools ?? []).map(decodeTool),
    toolChoice: decodeToolChoice(request.tool_choice),
    parallelTools: decodeParallelTools(request.tool_choice),
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    topK: request.top_k ?? null,
    seed: null,
    presencePenalty: null,
    frequencyPenalty: null,
    stop: (request.stop_sequences ?? []).filter((text) => text !== ''),
    // No other format accepts a limit of zero.
    maxOutputTokens: Math.max(1, request.max_tokens),
    choices: 1,
    reasoning: decodeReasoning(request),
    output: decodeOutput(request),
    topLogprobs: null,
    verbosity: null,
    endUser,
    cacheKey: endUser === null ? null : shorten(endUser),
    metadata: null,
    extras: decodeExtras(request),
  }
}

function decodeOutput({ output_config, output_format }: MessagesRequest): OutputFormat {
  const format = output_config?.format ?? output_format
  if (format?.type !== 'json_schema' || !format.schema) return { type: 'text' }
  const schema = format.schema as JsonObject
  return { type: 'schema', name: 'response', description: null, schema, strict: null }
}

// Agents of this format put a JSON object about their session into the user id.
function shorten(userId: string): string {
  if (userId.length <= MAX_CACHE_KEY_CHARACTERS) return userId
  return createHash('sha256').update(userId).digest('base64url')
}

function decodeExtras(request: MessagesRequest): Extras {
  const own = {
    ...without(request, NEUTRAL_FIELDS),
    ...systemExtras(request),
    ...whenFilled('tools', decodeToolExtras(request.tools ?? [])),
    ...whenFilled('output_config', outputExtras(request)),
    ...whenFilled('metadata', without(request.metadata ?? {}, new Set(['user_id']))),
    ...(request.max_tokens === 0 && { max_tokens: 0 }),
    ...(isUnheardOf(request.thinking?.type) && { thinking: request.thinking }),
  }
  return Object.keys(own).length === 0 ? {} : { [FORMAT]: own }
}

function outputExtras(request: MessagesRequest): JsonObject {
  const decoded = new Set(['format'])
  if (isEffortDecoded(request)) decoded.add('effort')
  return without(request.output_config ?? {}, decoded)
}

function systemExtras({ system }: MessagesRequest): JsonObject {
  const others = Array.isArray(system) ? system.filter(({ type }) => type !== 'text') : []
  return others.length === 0 ? {} : { system: others }
}

// Thinking modes that the neutral model cannot express, or only in part.
function isUnheardOf(type: string | undefined): boolean {
  return type !== undefined && type !== 'enabled' && type !== 'adaptive' && type !== 'disabled'
}

/** A null member counts as absent. */
function without(object: object, names: ReadonlySet<string>): JsonObject {
  const rest = Object.entries(object).filter(([name, value]) => !names.has(name) && value !== null)
  return Object.fromEntries(rest)
}

function whenFilled(name: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value }
}

type Asked = Pick<MessagesRequest, 'thinking' | 'output_config'>

/** How much to think, from `thinking` and `output_config.effort`; null when the client sets neither. */
function decodeReasoning({ thinking, output_config }: Asked): ReasoningRequest | null {
  const effort = asEffort(output_config?.effort)
  const byEffort = effort === null ? null : ({ type: 'effort', effort } as const)
  // Clients of this format that enable thinking also display it, unless they opt out.
  const showThoughts = thinking?.display !== 'omitted'
  switch (thinking?.type) {
    case 'enabled':
      return { control: { type: 'budget', tokens: thinking.budget_tokens ?? 0 }, showThoughts }
    case 'adaptive':
    case 'between_tools':
      return { control: byEffort ?? { type: 'adaptive' }, showThoughts }
    case 'disabled':
      return { control: { type: 'effort', effort: 'none' }, showThoughts: null }
    default:
      return byEffort === null ? null : { control: byEffort, showThoughts: null }
  }
}

/** Whether the effort is part of the decoded reasoning, so that it need not be kept as an extra. */
function isEffortDecoded({ thinking, output_config }: Asked): boolean {
  const isOther = thinking?.type === 'enabled' || thinking?.type === 'disabled'
  return !isOther && asEffort(output_config?.effort) !== null
}

function asEffort(value: string | null | undefined): Effort | null {
  return EFFORTS.find((effort) => effort === value) ?? null
}
