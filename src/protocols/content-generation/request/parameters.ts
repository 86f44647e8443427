import Type from 'typebox'
import type { Conversation } from '../../../conversation/conversation.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import {
  copied,
  NO_FIELD,
  optionalOrNull,
  type ParameterEncoding,
  parameter,
  parameterTable,
} from '../../parameter-table.ts'
import { MAX_STOP_CHARACTERS, MAX_TOKENS } from '../../request-limits.ts'
import type { ParameterRules, SupplyContext } from '../../translation.ts'
import { decodeThinking, encodeThinking, ThinkingSchema } from './thinking.ts'

const MAX_CANDIDATES = 8
/** The format itself allows five. */
const MAX_STOPS = 5
const StopSequence = Type.String({ minLength: 1, maxLength: MAX_STOP_CHARACTERS })

/** `body` is the `generationConfig` of the request. */
export interface ConfigEncoding extends ParameterEncoding {
  readonly conversation: Conversation
  readonly context: SupplyContext
  /** The members that ask for JSON. */
  readonly outputFields: JsonObject
}

/** How `generationConfig` carries the parameters of a conversation. */
export const PARAMETERS = parameterTable<ConfigEncoding>()({
  parallelTools: {
    members: {},
    encode: ({ dropped }, isParallel) => {
      // Models of this format call several tools at once by default.
      if (!isParallel) dropped.add('parallel_tool_calls')
    },
  },
  verbosity: NO_FIELD,
  endUser: NO_FIELD,
  cacheKey: NO_FIELD,
  metadata: NO_FIELD,
  temperature: copied('temperature', Type.Number({ minimum: 0, maximum: 2 }), {
    isTaken: takesSampling,
    strippable: 'generationConfig.temperature',
  }),
  topP: copied('topP', Type.Number({ minimum: 0, maximum: 1 }), {
    isTaken: (encoding) => takesSampling(encoding) && !isTemperatureInstead(encoding),
    strippable: 'generationConfig.topP',
  }),
  topK: parameter(
    { topK: optionalOrNull(Type.Integer({ minimum: 1, maximum: MAX_TOKENS })) },
    {
      decode: ({ topK }) => topK ?? null,
      encode: (encoding, topK) => {
        // Some clients disable it with a number below 1; here, omitting it does the same.
        if (topK < 1) return
        if (takesSampling(encoding)) encoding.body.topK = topK
        else encoding.dropped.add('top_k')
      },
      strippable: ['generationConfig.topK'],
    },
  ),
  seed: parameter(
    { seed: optionalOrNull(Type.Integer()) },
    {
      decode: ({ seed }) => seed ?? null,
      encode: ({ body }, seed) => {
        body.seed = toInt32(seed)
      },
      strippable: ['generationConfig.seed'],
    },
  ),
  presencePenalty: copied('presencePenalty', Type.Number({ minimum: -2, maximum: 2 }), {
    isTaken: ({ context }) => context.traits.penalties,
    strippable: 'generationConfig.presencePenalty',
  }),
  frequencyPenalty: copied('frequencyPenalty', Type.Number({ minimum: -2, maximum: 2 }), {
    isTaken: ({ context }) => context.traits.penalties,
    strippable: 'generationConfig.frequencyPenalty',
  }),
  maxOutputTokens: parameter(
    { maxOutputTokens: optionalOrNull(Type.Integer({ minimum: 1, maximum: MAX_TOKENS })) },
    {
      decode: ({ maxOutputTokens }) => maxOutputTokens ?? null,
      encode: ({ body, context }, limit) => {
        body.maxOutputTokens = Math.min(limit, context.outputTokenLimit ?? Infinity)
      },
    },
  ),
  stop: parameter(
    { stopSequences: optionalOrNull(Type.Array(StopSequence, { minItems: 0, maxItems: MAX_STOPS })) },
    {
      decode: ({ stopSequences }) => stopSequences ?? [],
      encode: ({ body, context }, stop) => {
        if (!context.traits.stop) return
        if (stop.length > MAX_STOPS) refuse('stop', `This model accepts at most ${MAX_STOPS} stop sequences.`)
        body.stopSequences = stop
      },
    },
  ),
  choices: parameter(
    { candidateCount: optionalOrNull(Type.Integer({ minimum: 1, maximum: MAX_CANDIDATES })) },
    {
      decode: ({ candidateCount }) => candidateCount ?? 1,
      encode: ({ body }, choices) => {
        body.candidateCount = choices
      },
    },
  ),
  topLogprobs: parameter(
    {
      responseLogprobs: optionalOrNull(Type.Boolean()),
      logprobs: optionalOrNull(Type.Integer({ minimum: 0, maximum: 20 })),
    },
    {
      decode: ({ responseLogprobs, logprobs }) => (responseLogprobs === true ? (logprobs ?? 0) : null),
      encode: ({ body, context }, count) => {
        if (!context.traits.logprobs) refuse('logprobs', 'This model does not return log probabilities.')
        body.responseLogprobs = true
        if (count > 0) body.logprobs = count
      },
    },
  ),
  output: { encode: ({ body, outputFields }: ConfigEncoding) => void Object.assign(body, outputFields) },
  reasoning: parameter(
    { thinkingConfig: optionalOrNull(ThinkingSchema) },
    {
      decode: ({ thinkingConfig }) => decodeThinking(thinkingConfig),
      encode: ({ body, context, dropped }, reasoning) => {
        const config = encodeThinking(reasoning, context.traits.thinking)
        if (config === null) dropped.add('reasoning')
        else if (Object.keys(config).length > 0) body.thinkingConfig = config
      },
      strippable: [
        'generationConfig.thinkingConfig',
        'generationConfig.thinkingConfig.includeThoughts',
        'generationConfig.thinkingConfig.thinkingBudget',
        'generationConfig.thinkingConfig.thinkingLevel',
      ],
    },
  ),
})

export const GENERATION_PARAMETERS: ParameterRules = {
  strippable: new Set([
    ...PARAMETERS.strippable,
    'generationConfig.mediaResolution',
    'generationConfig.enableEnhancedCivicAnswers',
    'labels',
    'serviceTier',
    'store',
  ]),
  respelled: {},
}

function refuse(param: string, message: string): never {
  throw new GatewayError('unsupported_parameter', message, { param })
}

function takesSampling({ conversation: { reasoning }, context: { traits } }: ConfigEncoding): boolean {
  if (traits.sampling !== 'only-without-thinking') return traits.sampling === 'ok'
  return reasoning?.control.type === 'effort' && reasoning.control.effort === 'none'
}

function isTemperatureInstead({ conversation, context }: ConfigEncoding): boolean {
  return context.traits.isTemperatureOrTopP && conversation.temperature !== null
}

// Seeds of other formats are wider than 32 bits; the mapping must be deterministic.
function toInt32(seed: number): number {
  return Number(BigInt.asIntN(32, BigInt(Math.trunc(seed))))
}
