import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import type { Conversation } from '../../../conversation/conversation.ts'
import { EFFORTS, type Effort, type ReasoningRequest } from '../../../conversation/effort.ts'
import type { Traits } from '../../../vocabulary/runtime/traits.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import { MAX_TOKENS_NOTE } from '../../contract-notes.ts'
import {
  copied,
  NO_FIELD,
  optionalOrNull,
  type ParameterEncoding,
  parameter,
  parameterTable,
} from '../../parameter-table.ts'
import { MAX_STOP_CHARACTERS, MAX_STOP_SEQUENCES, MAX_TOKENS } from '../../request-limits.ts'
import type { ParameterRules } from '../../translation.ts'
import type { EncodedThinking } from './encode-thinking.ts'
import { decodeParallelTools, ToolChoiceSchema } from './tool-choice.ts'

const NonEmptyString = Type.String({ minLength: 1 })
const ThinkingSchema = Type.Object({
  type: Type.Enum(['enabled', 'disabled', 'adaptive', 'between_tools']),
  budget_tokens: optionalOrNull(Type.Integer({ minimum: 0, maximum: MAX_TOKENS })),
  display: optionalOrNull(Type.String()),
})
export const OutputFormatSchema = Type.Object({
  type: NonEmptyString,
  schema: optionalOrNull(Type.Object({})),
})
const OutputConfigSchema = Type.Object({
  effort: optionalOrNull(Type.String()),
  format: optionalOrNull(OutputFormatSchema),
})
const metadata = {
  metadata: optionalOrNull(Type.Object({ user_id: optionalOrNull(Type.String()) })),
}

export interface MessagesEncoding extends ParameterEncoding {
  readonly conversation: Conversation
  readonly traits: Traits
  readonly thinking: EncodedThinking
  readonly isThinking: boolean
  /** The `format` member of `output_config`; null when there is none. */
  readonly outputFormat: JsonObject | null
  /** The extras of this format. */
  readonly own: JsonObject
}

/** How the messages format carries the parameters of a conversation. */
export const PARAMETERS = parameterTable<MessagesEncoding>()({
  reasoning: parameter(
    { thinking: optionalOrNull(ThinkingSchema), output_config: optionalOrNull(OutputConfigSchema) },
    {
      decode: decodeReasoning,
      encode: ({ dropped, thinking }, { control }) => {
        const isWanted = control.type !== 'unspecified' && !isOff(control)
        if (isWanted && !thinking.isOn && thinking.effort === null) dropped.add('reasoning')
      },
      strippable: ['thinking', 'thinking.display', 'output_config.effort'],
    },
  ),
  maxOutputTokens: parameter(
    {
      // Zero only writes the prompt into the cache.
      max_tokens: Type.Integer({ minimum: 0, maximum: MAX_TOKENS, description: MAX_TOKENS_NOTE }),
    },
    {
      // No other format accepts a limit of zero.
      decode: ({ max_tokens }) => Math.max(1, max_tokens),
      // The member is always there; thinking may have changed the client's limit.
      encode: ({ dropped, thinking }, limit) => {
        if (thinking.maxTokens !== limit) dropped.add('max_tokens')
      },
    },
  ),
  // Refused before anything else is encoded.
  choices: { members: {}, encode: 'elsewhere' },
  topLogprobs: { members: {}, encode: 'elsewhere' },
  verbosity: NO_FIELD,
  metadata: NO_FIELD,
  parallelTools: parameter(
    { tool_choice: optionalOrNull(ToolChoiceSchema) },
    { decode: ({ tool_choice }) => decodeParallelTools(tool_choice), encode: 'elsewhere' },
  ),
  thinkingMember: { encode: encodeThinkingMember },
  outputConfig: { encode: encodeOutputConfig },
  seed: NO_FIELD,
  presencePenalty: NO_FIELD,
  frequencyPenalty: NO_FIELD,
  temperature: parameter(
    { temperature: optionalOrNull(Type.Number({ minimum: 0, maximum: 1 })) },
    {
      decode: ({ temperature }) => temperature ?? null,
      encode: encodeTemperature,
      strippable: ['temperature'],
    },
  ),
  topP: copied('top_p', Type.Number({ minimum: 0, maximum: 1 }), {
    isTaken: takesTopP,
    strippable: 'top_p',
  }),
  topK: copied('top_k', Type.Integer({ minimum: 0 }), {
    isTaken: (encoding) => !isSamplingFixed(encoding),
    strippable: 'top_k',
  }),
  stop: parameter(
    {
      stop_sequences: optionalOrNull(
        Type.Array(Type.String({ maxLength: MAX_STOP_CHARACTERS }), { maxItems: MAX_STOP_SEQUENCES }),
      ),
    },
    {
      decode: ({ stop_sequences }) => (stop_sequences ?? []).filter((text) => text !== ''),
      encode: encodeStop,
    },
  ),
  endUser: parameter(metadata, {
    decode: ({ metadata }) => metadata?.user_id || null,
    encode: 'elsewhere',
    strippable: ['metadata'],
  }),
  cacheKey: parameter(metadata, {
    decode: ({ metadata }) => (metadata?.user_id ? shorten(metadata.user_id) : null),
    // A key made of the end user's id stands in for that id, which is sent.
    encode: ({ conversation, dropped }) => {
      if (conversation.endUser === null) dropped.add('prompt_cache_key')
    },
  }),
  metadataMember: { encode: encodeMetadata },
})

export const MESSAGES_PARAMETERS: ParameterRules = {
  strippable: new Set([
    ...PARAMETERS.strippable,
    'output_config.task_budget',
    'context_management',
    'cache_control',
    'service_tier',
    'speed',
    'inference_geo',
  ]),
  respelled: {},
}

interface WireReasoning {
  readonly thinking?: Static<typeof ThinkingSchema> | null
  readonly output_config?: Static<typeof OutputConfigSchema> | null
}

/** How much to think, from `thinking` and `output_config.effort`; null when the client sets neither. */
function decodeReasoning({ thinking, output_config }: WireReasoning): ReasoningRequest | null {
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
export function isEffortDecoded({ thinking, output_config }: WireReasoning): boolean {
  const isOther = thinking?.type === 'enabled' || thinking?.type === 'disabled'
  return !isOther && asEffort(output_config?.effort) !== null
}

function asEffort(value: string | null | undefined): Effort | null {
  return EFFORTS.find((effort) => effort === value) ?? null
}

function isOff(control: NonNullable<Conversation['reasoning']>['control']): boolean {
  return control.type === 'effort'
    ? control.effort === 'none'
    : control.type === 'budget' && control.tokens === 0
}

function encodeThinkingMember({ body, thinking, own }: MessagesEncoding): void {
  const member = own.thinking ?? thinking.thinking
  if (member !== null) body.thinking = member
}

function encodeOutputConfig({ body, thinking, outputFormat, own }: MessagesEncoding): void {
  const config = {
    ...asObject(own.output_config),
    ...(thinking.effort !== null && { effort: thinking.effort }),
    ...(outputFormat !== null && { format: outputFormat }),
  }
  if (Object.keys(config).length > 0) body.output_config = config
}

function isSamplingRefused({ traits, isThinking }: MessagesEncoding): boolean {
  return traits.sampling === 'rejected' || (traits.sampling === 'only-without-thinking' && isThinking)
}

function isSamplingFixed(encoding: MessagesEncoding): boolean {
  return encoding.isThinking || isSamplingRefused(encoding)
}

function encodeTemperature(encoding: MessagesEncoding, temperature: number): void {
  const { body, dropped } = encoding
  if (!isSamplingFixed(encoding)) {
    body.temperature = Math.min(temperature, 1)
    if (temperature > 1) dropped.add('temperature')
    // With thinking the temperature is always 1, so asking for 1 loses nothing.
  } else if (temperature !== 1) dropped.add('temperature')
}

/** With thinking, suppliers accept only a top_p close to 1. */
const MIN_TOP_P_WITH_THINKING = 0.95

function takesTopP(encoding: MessagesEncoding): boolean {
  const { conversation, traits, isThinking } = encoding
  if (isSamplingRefused(encoding)) return false
  if (isThinking) return (conversation.topP ?? 0) >= MIN_TOP_P_WITH_THINKING
  return !(traits.isTemperatureOrTopP && conversation.temperature !== null)
}

function encodeStop({ body, traits, dropped }: MessagesEncoding, stop: readonly string[]): void {
  // Suppliers reject blank stop sequences.
  const taken = traits.stop ? stop.filter((text) => text.trim() !== '') : []
  if (taken.length < stop.length) dropped.add('stop')
  if (taken.length > 0) body.stop_sequences = taken
}

/** Other formats limit cache keys to this length. */
const MAX_CACHE_KEY_CHARACTERS = 64

// Agents of this format put a JSON object about their session into the user id.
function shorten(userId: string): string {
  if (userId.length <= MAX_CACHE_KEY_CHARACTERS) return userId
  return createHash('sha256').update(userId).digest('base64url')
}

function encodeMetadata({ body, conversation: { endUser }, own }: MessagesEncoding): void {
  const metadata = { ...asObject(own.metadata), ...(endUser !== null && { user_id: nameUser(endUser) }) }
  if (Object.keys(metadata).length > 0) body.metadata = metadata
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
