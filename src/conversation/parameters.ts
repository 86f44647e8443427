import type { ReasoningRequest } from './effort.ts'

/**
 * The settings of a request beside its prompt and tools, independent of the wire format. Every format has a table with a
 * row for each of them, so the compiler lists the tables that a new parameter needs.
 */
export interface RequestParameters {
  readonly temperature: number | null
  readonly topP: number | null
  readonly topK: number | null
  readonly seed: number | null
  readonly presencePenalty: number | null
  readonly frequencyPenalty: number | null
  /** Texts that end the answer; empty when there are none. */
  readonly stop: readonly string[]
  readonly maxOutputTokens: number | null
  /** The number of answers; at least 1. */
  readonly choices: number
  readonly reasoning: ReasoningRequest | null
  /** The number of alternatives to report per token; null for no log probabilities. */
  readonly topLogprobs: number | null
  /** False allows one tool call at a time. */
  readonly parallelTools: boolean | null
  readonly verbosity: 'low' | 'medium' | 'high' | null
  /** Identifies the end user to the supplier, for abuse monitoring. */
  readonly endUser: string | null
  /** Keeps requests of one session on one prompt cache. */
  readonly cacheKey: string | null
  readonly metadata: Readonly<Record<string, string>> | null
}

export type ParameterName = keyof RequestParameters

/** The parameters of a client that sets none. */
export const DEFAULT_PARAMETERS: RequestParameters = {
  temperature: null,
  topP: null,
  topK: null,
  seed: null,
  presencePenalty: null,
  frequencyPenalty: null,
  stop: [],
  maxOutputTokens: null,
  choices: 1,
  reasoning: null,
  topLogprobs: null,
  parallelTools: null,
  verbosity: null,
  endUser: null,
  cacheKey: null,
  metadata: null,
}

/** The names that clients of every format see in errors and in the list of dropped parameters. */
export const PUBLIC_NAMES: Readonly<Record<ParameterName, string>> = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  stop: 'stop',
  maxOutputTokens: 'max_tokens',
  choices: 'n',
  reasoning: 'reasoning',
  topLogprobs: 'logprobs',
  parallelTools: 'parallel_tool_calls',
  verbosity: 'verbosity',
  endUser: 'user',
  cacheKey: 'prompt_cache_key',
  metadata: 'metadata',
}
