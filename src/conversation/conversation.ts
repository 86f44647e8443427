import type { JsonSchema } from './json-schema.ts'
import { DEFAULT_PARAMETERS, type RequestParameters } from './parameters.ts'
import type { CacheHint, Part } from './part.ts'
import type { Tool, ToolChoice } from './tool.ts'

/**
 * A client's request, independent of the wire format. Each protocol decodes its clients' requests into this and encodes
 * its suppliers' requests from it, so that any client format reaches any supplier format.
 *
 * Normal form, which every decoder produces and every encoder may rely on:
 * - `instructions` holds the system text before the first turn; later system text is a `system` turn in its place.
 * - Adjacent turns have different roles. Tool results are the first parts of the `user` turn that follows the calls,
 *   in the order of the calls.
 * - No text part is empty, no turn is without parts.
 * - A field the client did not send is null; explicit zeros and falses are kept.
 */
export interface Conversation extends RequestParameters {
  /** The public model id that the client sent. */
  readonly model: string
  readonly stream: boolean
  readonly instructions: readonly Instruction[]
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  /** null when the client did not specify it. */
  readonly toolChoice: ToolChoice | null
  readonly output: OutputFormat
  /**
   * Fields that only one format has, unchanged, under that format's name. An encoder of the same format restores them;
   * the others report them as dropped.
   */
  readonly extras: Extras
}

/** How a request wants its answer, without its prompt and tools. */
export type RequestSettings = RequestParameters & Pick<Conversation, 'output'>

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
