import Type from 'typebox'
import type { Conversation } from '../../../conversation/conversation.ts'
import { EFFORTS, type Effort, effortOf, nearestEffort } from '../../../conversation/effort.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { ThinkingControl } from '../../../vocabulary/runtime/traits.ts'
import { MAX_TOKENS_NOTE } from '../../contract-notes.ts'
import {
  copied,
  optionalOrNull,
  type ParameterEncoding,
  parameter,
  parameterTable,
} from '../../parameter-table.ts'
import { MAX_METADATA_PAIRS, MAX_STOP_CHARACTERS, MAX_TOKENS } from '../../request-limits.ts'
import type { ParameterRules, SupplyContext } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { encodeTools } from './encode-tools.ts'
import type { EncodedOutput } from './output.ts'

const MAX_STOP_SEQUENCES = 4
const StopSequence = Type.String({ minLength: 1, maxLength: MAX_STOP_CHARACTERS })

export interface ChatEncoding extends ParameterEncoding {
  readonly conversation: Conversation
  readonly traits: SupplyContext['traits']
  readonly output: EncodedOutput
}

/** How chat-completion carries the parameters of a conversation. */
export const PARAMETERS = parameterTable<ChatEncoding>()({
  maxOutputTokens: parameter(
    {
      max_tokens: optionalOrNull(
        Type.Integer({ minimum: 1, maximum: MAX_TOKENS, description: MAX_TOKENS_NOTE }),
      ),
      max_completion_tokens: optionalOrNull(
        Type.Integer({ minimum: 1, maximum: MAX_TOKENS, description: 'The newer name of `max_tokens`.' }),
      ),
    },
    {
      decode: ({ max_completion_tokens, max_tokens }) => max_completion_tokens ?? max_tokens ?? null,
      encode: ({ body, traits }, limit) => {
        body[traits.maxTokensField] = limit
      },
    },
  ),
  choices: parameter(
    { n: optionalOrNull(Type.Integer({ minimum: 1, maximum: 128 })) },
    {
      decode: ({ n }) => n ?? 1,
      encode: ({ body }, choices) => {
        body.n = choices
      },
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
  // An extension of some suppliers. The official service refuses it.
  topK: parameter(
    { top_k: optionalOrNull(Type.Integer()) },
    { decode: ({ top_k }) => top_k ?? null, encode: 'dropped', strippable: ['top_k'] },
  ),
  seed: copied('seed', Type.Integer(), { strippable: 'seed' }),
  presencePenalty: copied('presence_penalty', Type.Number({ minimum: -2, maximum: 2 }), {
    isTaken: takesPenalties,
    strippable: 'presence_penalty',
  }),
  frequencyPenalty: copied('frequency_penalty', Type.Number({ minimum: -2, maximum: 2 }), {
    isTaken: takesPenalties,
    strippable: 'frequency_penalty',
  }),
  stop: parameter(
    {
      stop: optionalOrNull(
        Type.Union([StopSequence, Type.Array(StopSequence, { minItems: 1, maxItems: MAX_STOP_SEQUENCES })]),
      ),
    },
    {
      decode: ({ stop }) => (typeof stop === 'string' ? [stop] : (stop ?? [])),
      encode: encodeStop,
    },
  ),
  reasoning: parameter(
    { reasoning_effort: optionalOrNull(Type.Enum([...EFFORTS])) },
    {
      // A client that sets an effort expects thinking, which `reasoning_content` can show.
      decode: ({ reasoning_effort: effort }) =>
        effort ? { control: { type: 'effort', effort }, showThoughts: effort !== 'none' } : null,
      encode: encodeReasoning,
      strippable: ['reasoning_effort'],
    },
  ),
  responseFormat: { encode: ({ body, output }: ChatEncoding) => void Object.assign(body, output.fields) },
  topLogprobs: parameter(
    {
      logprobs: optionalOrNull(Type.Boolean()),
      top_logprobs: optionalOrNull(Type.Integer({ minimum: 0, maximum: 20 })),
    },
    {
      decode: ({ logprobs, top_logprobs }) => (logprobs === true ? (top_logprobs ?? 0) : null),
      encode: ({ body, traits }, count) => {
        if (!traits.logprobs) refuse('logprobs', 'This model does not report log probabilities.')
        body.logprobs = true
        if (count > 0) body.top_logprobs = count
      },
    },
  ),
  tools: {
    encode: ({ body, conversation, dropped }: ChatEncoding) =>
      void Object.assign(body, encodeTools(conversation, dropped)),
  },
  parallelTools: parameter(
    { parallel_tool_calls: optionalOrNull(Type.Boolean()) },
    {
      decode: ({ parallel_tool_calls }) => parallel_tool_calls ?? null,
      // Suppliers refuse it without tools.
      encode: 'elsewhere',
      strippable: ['parallel_tool_calls'],
    },
  ),
  verbosity: copied('verbosity', Type.Enum(['low', 'medium', 'high']), { strippable: 'verbosity' }),
  endUser: parameter(
    { user: optionalOrNull(Type.String()), safety_identifier: optionalOrNull(Type.String()) },
    {
      decode: ({ safety_identifier, user }) => safety_identifier ?? user ?? null,
      encode: ({ body }, endUser) => {
        body.user = endUser
      },
      strippable: ['user', 'safety_identifier'],
    },
  ),
  cacheKey: copied('prompt_cache_key', Type.String(), { strippable: 'prompt_cache_key' }),
  metadata: parameter(
    { metadata: optionalOrNull(Type.Object({}, { maxProperties: MAX_METADATA_PAIRS })) },
    {
      decode: ({ metadata }) => decodeMetadata(metadata ?? {}),
      // Suppliers refuse metadata unless the answer is stored.
      isTaken: ({ conversation }) => conversation.extras[FORMAT]?.store === true,
      encode: ({ body }, metadata) => {
        body.metadata = metadata
      },
      strippable: ['metadata'],
    },
  ),
})

/** Parameters first, then other members of this format, then those of compatible suppliers. */
export const CHAT_PARAMETERS: ParameterRules = {
  strippable: new Set([
    ...PARAMETERS.strippable,
    'logit_bias',
    'prediction',
    'modalities',
    'prompt_cache_options',
    'prompt_cache_retention',
    'service_tier',
    'store',
    'stream_options',
    'stream_options.include_usage',
    'stream_options.include_obfuscation',
    'min_p',
    'repetition_penalty',
    'thinking',
    'enable_thinking',
    'reasoning',
    'include_reasoning',
    'reasoning_format',
    'chat_template_kwargs',
  ]),
  respelled: { max_tokens: 'max_completion_tokens', max_completion_tokens: 'max_tokens' },
}

function refuse(param: string, message: string): never {
  throw new GatewayError('unsupported_parameter', message, { param })
}

function takesSampling({ conversation: { reasoning }, traits }: ChatEncoding): boolean {
  if (traits.sampling !== 'only-without-thinking') return traits.sampling === 'ok'
  return reasoning !== null && effortOf(reasoning) === 'none'
}

function takesPenalties(encoding: ChatEncoding): boolean {
  return encoding.traits.penalties && takesSampling(encoding)
}

function encodeStop({ body, traits, dropped }: ChatEncoding, stop: readonly string[]): void {
  if (stop.length > MAX_STOP_SEQUENCES) {
    refuse('stop', `This model takes at most ${MAX_STOP_SEQUENCES} stop sequences.`)
  }
  if (traits.stop) body.stop = stop
  else dropped.add('stop')
}

function encodeReasoning(
  { body, traits: { thinking }, dropped }: ChatEncoding,
  reasoning: NonNullable<Conversation['reasoning']>,
): void {
  const wanted = effortOf(reasoning)
  if (wanted === null) return
  const effort = nearestEffort(wanted, effortsOf(thinking))
  if (effort !== wanted && !(wanted === 'none' && thinking.type === 'none')) dropped.add('reasoning_effort')
  if (effort !== null) body.reasoning_effort = effort
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

/** Values of other types are left out. */
function decodeMetadata(metadata: object): Conversation['metadata'] {
  const entries = Object.entries(metadata).filter(([, value]) => typeof value === 'string')
  return entries.length === 0 ? null : Object.fromEntries(entries)
}
