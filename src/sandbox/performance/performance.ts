import type { Ask } from './ask.ts'
import { CHARACTERS_PER_TOKEN, countTokens, cutIntoPieces, takeCharacters } from './tokens.ts'

/** One thing a model does while answering, before limits are applied. */
export type Line =
  | { readonly type: 'think'; readonly text: string }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'call'; readonly tool: string; readonly input: 'json' | 'text'; readonly text: string }

/** A line as it is performed: in pieces, which may be produced only as they are read. */
export type Step =
  | { readonly type: 'think'; readonly pieces: Iterable<string> }
  | { readonly type: 'say'; readonly pieces: Iterable<string> }
  | {
      readonly type: 'call'
      readonly tool: string
      readonly input: 'json' | 'text'
      readonly pieces: Iterable<string>
    }

export type FinishReason = 'stop' | 'length' | 'tool-call'

export interface Choice {
  readonly steps: readonly Step[]
  readonly finish: FinishReason
}

export interface PerformanceUsage {
  /** All prompt tokens, the cached ones included. */
  readonly input: number
  readonly cachedInput: number
  /** All generated tokens, thinking included. */
  readonly output: number
  readonly reasoning: number
}

/** What the model says, once, for every face to write in its own format. */
export interface Performance {
  readonly choices: readonly Choice[]
  /** null when the supplier is to report none. */
  readonly usage: PerformanceUsage | null
}

export interface PromptUsage {
  readonly input: number
  readonly cachedInput: number
}

/** Applies the caller's limits to what the model wants to say, and counts what is left. */
export function perform(ask: Ask, lines: readonly (readonly Line[])[], prompt: PromptUsage): Performance {
  const limited = lines.map((choice) =>
    limitLength(stopAtSequence(choice, ask.stopSequences), ask.maxOutputTokens),
  )
  const said = limited.flatMap((choice) => choice.lines)
  const usage = {
    ...prompt,
    output: countTokens(sumCharacters(said)),
    reasoning: countTokens(sumCharacters(said.filter((line) => line.type === 'think'))),
  }
  return { choices: limited.map(toChoice), usage }
}

interface LimitedLines {
  readonly lines: readonly Line[]
  readonly isCut: boolean
}

function stopAtSequence(lines: readonly Line[], sequences: readonly string[]): readonly Line[] {
  const kept: Line[] = []
  for (const line of lines) {
    const end = line.type === 'say' ? findFirst(line.text, sequences) : -1
    if (end === -1) {
      kept.push(line)
      continue
    }
    kept.push({ ...line, text: line.text.slice(0, end) })
    break
  }
  return kept
}

function findFirst(text: string, sequences: readonly string[]): number {
  const found = sequences
    .filter((sequence) => sequence !== '')
    .map((sequence) => text.indexOf(sequence))
    .filter((index) => index !== -1)
  return found.length === 0 ? -1 : Math.min(...found)
}

// A tool call may be cut in the middle of its arguments, which is what real models do at their limit.
function limitLength(lines: readonly Line[], maxTokens: number | null): LimitedLines {
  if (maxTokens === null) return { lines, isCut: false }
  const kept: Line[] = []
  let left = maxTokens * CHARACTERS_PER_TOKEN
  for (const line of lines) {
    if (left === 0) return { lines: kept, isCut: true }
    const text = takeCharacters(line.text, left)
    kept.push({ ...line, text })
    if (text.length < line.text.length) return { lines: kept, isCut: true }
    left -= text.length
  }
  return { lines: kept, isCut: false }
}

function sumCharacters(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.text.length, 0)
}

function toChoice({ lines, isCut }: LimitedLines): Choice {
  const steps = lines.map(({ text, ...line }): Step => ({ ...line, pieces: cutIntoPieces(text) }))
  const calls = lines.some((line) => line.type === 'call')
  return { steps, finish: isCut ? 'length' : calls ? 'tool-call' : 'stop' }
}

/** An answer of any length that costs no memory: each piece exists only while it is being written. */
export function performEndlessly(pieces: number, bytesPerPiece: number, prompt: PromptUsage): Performance {
  const piece = 'x'.repeat(bytesPerPiece)
  const step: Step = { type: 'say', pieces: repeat(piece, pieces) }
  const usage = { ...prompt, output: countTokens(pieces * bytesPerPiece), reasoning: 0 }
  return { choices: [{ steps: [step], finish: 'stop' }], usage }
}

function repeat(piece: string, times: number): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (let written = 0; written < times; written++) yield piece
    },
  }
}
