import type { ImageSize } from '../images/raster.ts'

/** What a caller asks of a simulated model, whatever wire format it came in. */
export interface Ask {
  readonly model: string
  /** System and developer texts, in order. */
  readonly instructions: readonly string[]
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice
  readonly parallelTools: boolean
  readonly thinking: ThinkingWish
  /** null when the caller set no limit. */
  readonly maxOutputTokens: number | null
  readonly stopSequences: readonly string[]
  /** How many answers are wanted. */
  readonly choices: number
  readonly shape: AnswerShape
  /** Set when the answer is to hold an image. */
  readonly image?: ImageWish
}

export interface ImageWish {
  /** Whether words are wanted with it. */
  readonly withWords: boolean
  /** null leaves it to the model. */
  readonly size: ImageSize | null
}

/** Whether the caller wants the model to think first; `unsaid` leaves it to the model. */
export type ThinkingWish = 'asked' | 'declined' | 'unsaid'

export interface Turn {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly images: readonly SeenImage[]
  /** The tool whose result this is; null when the turn is not a result or its call is not in the history. */
  readonly toolName: string | null
  /** Set when the result says that the tool failed. */
  readonly isError?: boolean
}

export interface SeenImage {
  /** null when the image is only linked to. */
  readonly mediaType: string | null
  /** null when the image is only linked to. */
  readonly bytes: number | null
  /** The image itself, in formats whose models can work on it. */
  readonly base64?: string
}

export interface Tool {
  readonly name: string
  /** The group the tool was offered in, in formats that have groups. */
  readonly namespace?: string
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

/** What the user said last; tool results, what belongs to them and reminders of agents are left aside. */
export function lastUserTurn({ turns }: Ask): Turn | null {
  const said = turns.slice(0, turns.length - trailingResults(turns).length)
  const question = said.findLast((turn) => turn.role === 'user' && !isOnlyReminder(turn))
  return question ?? said.findLast((turn) => turn.role === 'user') ?? null
}

export function lastUserText(ask: Ask): string {
  const text = lastUserTurn(ask)?.text ?? ''
  return withoutReminders(text).trim() || text.trim()
}

const REMINDER = /<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g

/** Coding agents add words of their own to what the user says, and real models know them from a question. */
function withoutReminders(text: string): string {
  return text.replace(REMINDER, '')
}

function isOnlyReminder({ role, text, images }: Turn): boolean {
  return role === 'user' && images.length === 0 && text !== '' && withoutReminders(text).trim() === ''
}

/**
 * The tool results the conversation ends with. In formats whose results hold only text, their images follow in a
 * user turn without words; such a turn is part of the results, and so is one with only a reminder.
 */
export function trailingResults(turns: readonly Turn[]): readonly Turn[] {
  const tail = turns.slice(turns.findLastIndex((turn) => !isResult(turn) && !isAside(turn)) + 1)
  const first = tail.findIndex(isResult)
  return first === -1 ? [] : tail.slice(first)
}

function isResult(turn: Turn): boolean {
  return turn.role === 'tool'
}

function isAside(turn: Turn): boolean {
  return isOnlyReminder(turn) || (turn.role === 'user' && turn.text.trim() === '' && turn.images.length > 0)
}
