import Type from 'typebox'
import { MAX_TOKENS_NOTE } from '../contract-notes.ts'
import {
  copied,
  NO_FIELD,
  optionalOrNull,
  type ParameterEncoding,
  parameter,
  parameterTable,
} from '../parameter-table.ts'
import { MAX_STOP_CHARACTERS, MAX_TOKENS } from '../request-limits.ts'
import type { ParameterRules } from '../translation.ts'
import { DEFAULT_MAX_TOKENS } from './format.ts'

const StopSequence = Type.String({ minLength: 1, maxLength: MAX_STOP_CHARACTERS })
const Penalty = Type.Number({ minimum: -2, maximum: 2 })

/** How text completions carry the parameters of a conversation. */
export const PARAMETERS = parameterTable<ParameterEncoding>()({
  maxOutputTokens: parameter(
    {
      max_tokens: optionalOrNull(
        Type.Integer({
          minimum: 0,
          maximum: MAX_TOKENS,
          default: DEFAULT_MAX_TOKENS,
          description: MAX_TOKENS_NOTE,
        }),
      ),
    },
    {
      decode: ({ max_tokens }) => max_tokens ?? DEFAULT_MAX_TOKENS,
      encode: ({ body }, limit) => {
        body.max_tokens = limit
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
  temperature: copied('temperature', Type.Number({ minimum: 0, maximum: 2 }), { strippable: 'temperature' }),
  topP: copied('top_p', Type.Number({ minimum: 0, maximum: 1 }), { strippable: 'top_p' }),
  // An extension of some suppliers.
  topK: copied('top_k', Type.Integer(), { strippable: 'top_k' }),
  seed: copied('seed', Type.Integer(), { strippable: 'seed' }),
  presencePenalty: copied('presence_penalty', Penalty, { strippable: 'presence_penalty' }),
  frequencyPenalty: copied('frequency_penalty', Penalty, { strippable: 'frequency_penalty' }),
  stop: parameter(
    {
      stop: optionalOrNull(
        Type.Union([StopSequence, Type.Array(StopSequence, { minItems: 1, maxItems: 4 })]),
      ),
    },
    {
      decode: ({ stop }) => (typeof stop === 'string' ? [stop] : (stop ?? [])),
      encode: ({ body }, stop) => {
        body.stop = stop
      },
    },
  ),
  endUser: copied('user', Type.String(), { strippable: 'user' }),
  reasoning: NO_FIELD,
  topLogprobs: NO_FIELD,
  parallelTools: NO_FIELD,
  verbosity: NO_FIELD,
  cacheKey: NO_FIELD,
  metadata: NO_FIELD,
})

export const COMPLETION_PARAMETERS: ParameterRules = {
  strippable: new Set([
    ...PARAMETERS.strippable,
    'logit_bias',
    'stream_options',
    'stream_options.include_usage',
    'stream_options.include_obfuscation',
    'min_p',
    'repetition_penalty',
  ]),
  respelled: {},
}
