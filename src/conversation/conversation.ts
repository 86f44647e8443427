import type { JsonSchema } from './json-schema.ts'
import type { CacheHint, Part } from './part.ts'
import type { Tool, ToolChoice } from './tool.ts'

/**
 * What a client asks a model for, in no wire format. Each protocol decodes its requests into this and encodes its
 * supplier's requests out of it, so that any client format reaches any supplier format.
 *
 * Normal form, which every decoder produces and every encoder may rely on:
 * - `instructions` holds the system text that stands before the first turn; later system text is a `system` turn
 *   at its place.
 * - Adjacent turns have different roles. Tool results are parts of the `user` turn that follows the calls, and
 *   stand before its other parts, in the order of the calls they answer.
 * - No text part is empty, no turn is without parts.
 * - A field the client did not send is null; explicit zeros and falses are kept.
 */
export interface Conversation {
  /** The public model id the client asked for. */
  readonly model: string
  readonly stream: boolean
  readonly instructions: readonly Instruction[]
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  /** null: the client did not say. */
  readonly toolChoice: ToolChoice | null
  /** false: one call at a time. */
  readonly parallelTools: boolean | null
  readonly sampling: Sampling
  readonly maxOutputTokens: number | null
  /** How many answers to give; at least 1. */
  readonly choices: number
  readonly reasoning: ReasoningRequest | null
  readonly output: OutputFormat
  /** How many alternatives to report per token; null: no log probabilities at all. */
  readonly topLogprobs: number | null
  readonly verbosity: 'low' | 'medium' | 'high' | null
  /** Names the end user towards the supplier, for abuse monitoring. */
  readonly endUser: string | null
  /** Keeps requests of one session on one prompt cache. */
  readonly cacheKey: string | null
  readonly metadata: Readonly<Record<string, string>> | null
  /**
   * Fields only one format knows, verbatim, under that format's name. An encoder of the same format restores them;
   * every other one leaves them out and reports the ones that mattered as dropped.
   */
  readonly extras: Extras
}

export type Extras = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface Instruction {
  readonly text: string
  readonly cache: CacheHint | null
}

export interface Turn {
  /** `system`: instructions in the middle of the conversation. */
  readonly role: 'user' | 'assistant' | 'system'
  readonly parts: readonly Part[]
}

export interface Sampling {
  readonly temperature: number | null
  readonly topP: number | null
  readonly topK: number | null
  readonly seed: number | null
  readonly presencePenalty: number | null
  readonly frequencyPenalty: number | null
  /** Texts that end the answer; empty when none. */
  readonly stop: readonly string[]
}

export const NO_SAMPLING: Sampling = {
  temperature: null,
  topP: null,
  topK: null,
  seed: null,
  presencePenalty: null,
  frequencyPenalty: null,
  stop: [],
}

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

/** How much a model should think, in whichever of the three ways the client said it. */
export interface ReasoningRequest {
  readonly control:
    | { readonly type: 'effort'; readonly effort: Effort }
    /** Tokens to think with; 0 switches thinking off. */
    | { readonly type: 'budget'; readonly tokens: number }
    /** The model decides. */
    | { readonly type: 'adaptive' }
    /** The client said only whether it wants to see thoughts. */
    | { readonly type: 'unsaid' }
  /** Whether the thinking text is to be shown, null when the client did not say. */
  readonly showThoughts: boolean | null
}

export type OutputFormat =
  | { readonly type: 'text' }
  /** Any JSON object. */
  | { readonly type: 'json' }
  | {
      readonly type: 'schema'
      /** `response` when the client's format has no name for it. */
      readonly name: string
      readonly description: string | null
      readonly schema: JsonSchema
      readonly strict: boolean | null
    }

/** The most tokens each effort stands for, in rising order. */
const BUDGETS: readonly (readonly [mostTokens: number, effort: Effort])[] = [
  [0, 'none'],
  [1024, 'low'],
  [8192, 'medium'],
  [24_576, 'high'],
]

/** The effort a client asked for, in whichever way it said so; null when the model is to decide. */
export function effortOf({ control }: ReasoningRequest): Effort | null {
  switch (control.type) {
    case 'effort':
      return control.effort
    case 'budget':
      return BUDGETS.find(([mostTokens]) => control.tokens <= mostTokens)?.[1] ?? 'xhigh'
    case 'adaptive':
    case 'unsaid':
      return null
  }
}

/**
 * The effort nearest to the wanted one among those a model takes, the lesser of two equally near; null when it takes
 * none. Thinking is switched off only when that was asked for.
 */
export function nearestEffort(wanted: Effort, taken: readonly Effort[]): Effort | null {
  const eligible = EFFORTS.filter(
    (effort) => taken.includes(effort) && (effort !== 'none' || wanted === 'none'),
  )
  const place = EFFORTS.indexOf(wanted)
  const distance = (effort: Effort) => Math.abs(EFFORTS.indexOf(effort) - place)
  return eligible.reduce<Effort | null>(
    (best, effort) => (best === null || distance(effort) < distance(best) ? effort : best),
    null,
  )
}
