import type { JsonSchema } from './json-schema.ts'
import { DEFAULT_PARAMETERS, type RequestParameters } from './parameters.ts'
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
export interface Conversation extends RequestParameters {
  /** The public model id the client asked for. */
  readonly model: string
  readonly stream: boolean
  readonly instructions: readonly Instruction[]
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  /** null: the client did not say. */
  readonly toolChoice: ToolChoice | null
  readonly output: OutputFormat
  /**
   * Fields only one format knows, verbatim, under that format's name. An encoder of the same format restores them;
   * every other one leaves them out and reports the ones that mattered as dropped.
   */
  readonly extras: Extras
}

/** A conversation with the given fields. All others are empty. */
export function newConversation(given: Partial<Conversation>): Conversation {
  return { ...EMPTY_CONVERSATION, ...given }
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

const EMPTY_CONVERSATION: Conversation = {
  model: '',
  stream: false,
  instructions: [],
  turns: [],
  tools: [],
  toolChoice: null,
  output: { type: 'text' },
  ...DEFAULT_PARAMETERS,
  extras: {},
}
