/** What a caller asks of a simulated model, whatever wire format it came in. */
export interface Ask {
  readonly model: string
  /** System and developer texts, in order. */
  readonly instructions: readonly string[]
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice
  readonly parallelTools: boolean
  /** False when the caller asked the model not to think. */
  readonly thinking: boolean
  /** null when the caller set no limit. */
  readonly maxOutputTokens: number | null
  readonly stopSequences: readonly string[]
  /** How many answers are wanted. */
  readonly choices: number
  readonly shape: AnswerShape
}

export interface Turn {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly pictures: readonly Picture[]
  /** The tool whose result this is; null when the turn is not a result or its call is not in the history. */
  readonly toolName: string | null
}

export interface Picture {
  /** null when the picture is only linked to. */
  readonly mediaType: string | null
  /** null when the picture is only linked to. */
  readonly bytes: number | null
}

export interface Tool {
  readonly name: string
  /** A `text` tool takes free text where a `json` tool takes arguments that fit its schema. */
  readonly input: { readonly type: 'json'; readonly schema: unknown } | { readonly type: 'text' }
}

export type ToolChoice =
  | { readonly type: 'auto' }
  | { readonly type: 'none' }
  | { readonly type: 'required' }
  | { readonly type: 'named'; readonly name: string }

export type AnswerShape =
  | { readonly type: 'text' }
  | { readonly type: 'json-object' }
  | { readonly type: 'json-schema'; readonly schema: unknown }

export function lastUserTurn(ask: Ask): Turn | null {
  return ask.turns.findLast((turn) => turn.role === 'user') ?? null
}

export function lastUserText(ask: Ask): string {
  return lastUserTurn(ask)?.text.trim() ?? ''
}
