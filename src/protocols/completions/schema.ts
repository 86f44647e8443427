import Type, { type Static } from 'typebox'
import { MODEL_NOTE, STREAM_NOTE } from '../contract-notes.ts'
import { optionalOrNull } from '../parameter-table.ts'
import { MAX_BIASED_TOKENS } from '../request-limits.ts'
import { PARAMETERS } from './parameters.ts'

/** The gateway's own limit: no vendor documents how many prompts a request may have. */
export const MAX_PROMPTS = 2_048

const Tokens = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })
const Prompt = Type.Union(
  [
    Type.String(),
    Type.Array(Type.String(), { minItems: 1, maxItems: MAX_PROMPTS }),
    Tokens,
    Type.Array(Tokens, { minItems: 1, maxItems: MAX_PROMPTS }),
  ],
  { description: 'A text, a list of texts, or the same as tokens. Each is completed on its own.' },
)

/** A text-completion request. Unknown fields are allowed and passed on. Null means absent. */
export const CompletionRequestSchema = Type.Object({
  model: Type.String({ minLength: 1, description: MODEL_NOTE }),
  prompt: optionalOrNull(Prompt),
  suffix: optionalOrNull(Type.String({ description: 'The text after the completion.' })),
  ...PARAMETERS.members,
  best_of: optionalOrNull(
    Type.Integer({
      minimum: 1,
      maximum: 128,
      description: 'Generates so many completions and returns the best `n`.',
    }),
  ),
  echo: optionalOrNull(Type.Boolean({ description: 'Repeats the prompt before the completion.' })),
  logprobs: optionalOrNull(Type.Integer({ minimum: 0, maximum: 20 })),
  // The members are checked by suppliers; checking a huge object here would hold up other requests.
  logit_bias: optionalOrNull(Type.Object({}, { maxProperties: MAX_BIASED_TOKENS })),
  stream: optionalOrNull(Type.Boolean({ description: STREAM_NOTE })),
  stream_options: optionalOrNull(
    Type.Object({
      include_usage: optionalOrNull(Type.Boolean()),
      include_obfuscation: optionalOrNull(Type.Boolean()),
    }),
  ),
})

export type CompletionRequest = Static<typeof CompletionRequestSchema>
