import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import type { Conversation, OutputFormat } from '../../../conversation/conversation.ts'
import { EFFORTS, type Effort, type ReasoningRequest } from '../../../conversation/effort.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Traits } from '../../../vocabulary/runtime/traits.ts'
import { asArray, type JsonObject } from '../../../wire/json-values.ts'
import { MAX_TOKENS_NOTE } from '../../contract-notes.ts'
import {
  copied,
  NO_FIELD,
  optionalOrNull,
  type ParameterEncoding,
  parameter,
  parameterTable,
} from '../../parameter-table.ts'
import { MAX_METADATA_PAIRS, MAX_TOKENS } from '../../request-limits.ts'
import type { ParameterRules } from '../../translation.ts'
import { encodeReasoningRequest } from '../reasoning.ts'
import { encodeToolChoice, encodeTools } from './tools.ts'

const MIN_OUTPUT_TOKENS = 16
const MAX_KEY_LENGTH = 64

/** Values of `include`. */
export const TEXT_LOGPROBS = 'message.output_text.logprobs'
export const ENCRYPTED_REASONING = 'reasoning.encrypted_content'

const TextFormat = Type.Union([
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    name: Type.String({ minLength: 1 }),
    schema: Type.Object({}),
    description: optionalOrNull(Type.String()),
    strict: optionalOrNull(Type.Boolean()),
  }),
])

const text = {
  text: optionalOrNull(
    Type.Object({
      format: optionalOrNull(TextFormat),
      verbosity: optionalOrNull(Type.Enum(['low', 'medium', 'high'])),
    }),
  ),
}
const ReasoningSchema = Type.Object({
  effort: optionalOrNull(Type.Enum([...EFFORTS])),
  summary: optionalOrNull(Type.String()),
  generate_summary: optionalOrNull(Type.String()),
})

export interface ResponsesEncoding extends ParameterEncoding {
  readonly conversation: Conversation
  readonly traits: Traits
  /** The effort to request, or null when the model decides or has no effort setting. */
  readonly effort: Effort | null
  /** The extras of this format. */
  readonly own: JsonObject
}

/** How the responses format carries the parameters of a conversation. */
export const PARAMETERS = parameterTable<ResponsesEncoding>()({
  tools: { encode: encodeToolUse },
  parallelTools: parameter(
    { parallel_tool_calls: optionalOrNull(Type.Boolean()) },
    {
      decode: ({ parallel_tool_calls }) => parallel_tool_calls ?? null,
      // Sent only with tools.
      encode: 'elsewhere',
      strippable: ['parallel_tool_calls'],
    },
  ),
  temperature: copied('temperature', Type.Number({ minimum: 0, maximum: 2 }), {
    isTaken: takesSampling,
    strippable: 'temperature',
  }),
  topP: copied('top_p', Type.Number({ minimum: 0, maximum: 1 }), {
    isTaken: (encoding) =>
      takesSampling(encoding) &&
      !(encoding.traits.isTemperatureOrTopP && encoding.conversation.temperature !== null),
    strippable: 'top_p',
  }),
  topK: NO_FIELD,
  seed: NO_FIELD,
  presencePenalty: NO_FIELD,
  frequencyPenalty: NO_FIELD,
  choices: NO_FIELD,
  // The gateway ends the answer itself.
  stop: { members: {}, encode: 'ignored' },
  maxOutputTokens: parameter(
    {
      max_output_tokens: optionalOrNull(
        Type.Integer({ minimum: 1, maximum: MAX_TOKENS, description: MAX_TOKENS_NOTE }),
      ),
    },
    {
      decode: ({ max_output_tokens }) => max_output_tokens ?? null,
      encode: ({ body, dropped }, limit) => {
        if (limit < MIN_OUTPUT_TOKENS) dropped.add('max_output_tokens')
        body.max_output_tokens = Math.max(MIN_OUTPUT_TOKENS, limit)
      },
    },
  ),
  topLogprobs: parameter(
    {
      top_logprobs: optionalOrNull(Type.Integer({ minimum: 0, maximum: 20 })),
      include: optionalOrNull(Type.Array(Type.String())),
    },
    {
      decode: ({ include, top_logprobs }) => (include?.includes(TEXT_LOGPROBS) ? (top_logprobs ?? 0) : null),
      encode: ({ body, traits }, count) => {
        if (!traits.logprobs) refuseLogprobs()
        body.top_logprobs = count
      },
      strippable: ['include'],
    },
  ),
  reasoning: parameter(
    { reasoning: optionalOrNull(ReasoningSchema) },
    {
      decode: ({ reasoning }) => decodeReasoning(reasoning ?? {}),
      encode: ({ dropped, effort }, { control }) => {
        if (control.type === 'effort' && effort === null) dropped.add('reasoning_effort')
      },
      strippable: ['reasoning', 'reasoning.effort', 'reasoning.summary', 'reasoning.generate_summary'],
    },
  ),
  reasoningMember: {
    encode: ({ body, conversation, ...options }: ResponsesEncoding) => {
      const reasoning = encodeReasoningRequest(conversation.reasoning, {
        ...options,
        own: options.own.reasoning,
      })
      if (reasoning !== null) body.reasoning = reasoning
    },
  },
  verbosity: parameter(text, {
    decode: ({ text }) => text?.verbosity ?? null,
    encode: 'elsewhere',
    strippable: ['text.verbosity'],
  }),
  textMember: { encode: encodeText },
  includeMember: { encode: encodeInclude },
  cacheKey: parameter(
    { prompt_cache_key: optionalOrNull(Type.String()) },
    {
      decode: ({ prompt_cache_key }) => prompt_cache_key ?? null,
      encode: ({ body }, key) => {
        body.prompt_cache_key = shorten(key)
      },
      strippable: ['prompt_cache_key'],
    },
  ),
  endUser: parameter(
    { safety_identifier: optionalOrNull(Type.String()), user: optionalOrNull(Type.String()) },
    {
      decode: ({ safety_identifier, user }) => safety_identifier ?? user ?? null,
      encode: ({ body }, endUser) => {
        const key = shorten(endUser)
        // Requests of one end user often share a prefix, so the user id is the second-best cache key.
        body.prompt_cache_key ??= key
        body.safety_identifier = key
      },
      strippable: ['user', 'safety_identifier'],
    },
  ),
  metadata: parameter(
    { metadata: optionalOrNull(Type.Object({}, { maxProperties: MAX_METADATA_PAIRS })) },
    {
      decode: ({ metadata }) => decodeMetadata(metadata ?? {}),
      encode: ({ body }, metadata) => {
        body.metadata = metadata
      },
      strippable: ['metadata'],
    },
  ),
})

export const RESPONSES_PARAMETERS: ParameterRules = {
  strippable: new Set([
    ...PARAMETERS.strippable,
    'truncation',
    'prompt_cache_options',
    'prompt_cache_retention',
    'service_tier',
    'store',
    'client_metadata',
    'context_management',
    'stream_options',
    'stream_options.include_obfuscation',
  ]),
  respelled: {},
}

function encodeToolUse({ body, conversation, own, dropped }: ResponsesEncoding): void {
  const { tools, toolChoice, parallelTools } = conversation
  if (tools.length === 0) return
  const choice = toolChoice === null ? own.tool_choice : encodeToolChoice(toolChoice, tools)
  const searches = tools.flatMap((tool) => (tool.type === 'web-search' ? (tool.maxUses ?? []) : []))
  body.tools = encodeTools(tools, dropped)
  if (choice !== undefined) body.tool_choice = choice
  if (parallelTools !== null) body.parallel_tool_calls = parallelTools
  if (searches[0] !== undefined && own.max_tool_calls === undefined) body.max_tool_calls = searches[0]
}

function takesSampling({ traits, effort }: ResponsesEncoding): boolean {
  return traits.sampling === 'ok' || (traits.sampling === 'only-without-thinking' && effort === 'none')
}

function refuseLogprobs(): never {
  throw new GatewayError('unsupported_parameter', 'This model gives no log probabilities. Remove logprobs.', {
    param: 'logprobs',
  })
}

function decodeReasoning(wire: Static<typeof ReasoningSchema>): ReasoningRequest | null {
  const effort = wire.effort ?? null
  const summary = wire.summary ?? wire.generate_summary ?? null
  if (effort === null && summary === null) return null
  return {
    control: effort === null ? { type: 'unspecified' } : { type: 'effort', effort },
    showThoughts: summary === null ? null : true,
  }
}

type WireFormat = Static<typeof TextFormat>

export function decodeOutput(format: WireFormat | null | undefined): OutputFormat {
  switch (format?.type) {
    case 'json_object':
      return { type: 'json' }
    case 'json_schema':
      return {
        type: 'schema',
        name: format.name,
        description: format.description ?? null,
        schema: format.schema as JsonObject,
        strict: format.strict ?? null,
      }
    default:
      return { type: 'text' }
  }
}

function encodeText({ body, conversation, traits, dropped }: ResponsesEncoding): void {
  const { output, verbosity } = conversation
  const format = encodeFormat(output, traits, dropped)
  if (format === null && verbosity === null) return
  body.text = { ...(format !== null && { format }), ...(verbosity !== null && { verbosity }) }
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

// Models without thinking refuse encrypted reasoning.
function encodeInclude({ body, conversation, traits, own }: ResponsesEncoding): void {
  const include = new Set<unknown>(asArray(own.include))
  if (traits.thinking.type !== 'none') include.add(ENCRYPTED_REASONING)
  if (conversation.topLogprobs !== null) include.add(TEXT_LOGPROBS)
  if (include.size > 0) body.include = [...include]
}

/** Hashes keys that are too long for suppliers, and email addresses for privacy. */
function shorten(key: string): string {
  if (key.length <= MAX_KEY_LENGTH && !/^[^\s@]+@[^\s@]+$/.test(key)) return key
  return createHash('sha256').update(key).digest('hex')
}

function decodeMetadata(metadata: object): Conversation['metadata'] {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return null
  const asString = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return Object.fromEntries(entries.map(([name, value]) => [name, asString(value)]))
}
