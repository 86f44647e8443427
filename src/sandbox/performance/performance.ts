import type { Ask } from './ask.ts'
import { CHARACTERS_PER_TOKEN, countTokens, cutIntoPieces, takeCharacters } from './tokens.ts'

/** One thing a model does while answering, before limits are applied. */
export type Line = Act & { readonly text: string }

/** A line as it is performed: in pieces, which may be produced only as they are read. */
export type Step = Act & { readonly pieces: Iterable<string> }

type Act =
  /** A redacted thought is counted and signed, but its text is never shown. */
  | { readonly type: 'think'; readonly isRedacted?: true }
  | { readonly type: 'say' }
  /** Declines to answer, in words of the model's own. */
  | { readonly type: 'refuse' }
  | {
      readonly type: 'call'
      readonly tool: string
      readonly namespace?: string
      readonly input: 'json' | 'text'
    }

export type StepOf<T extends Step['type']> = Extract<Step, { type: T }>

export type FinishReason = 'stop' | 'length' | 'tool-call' | 'refusal'

export interface Choice {
  readonly steps: readonly Step[]
  readonly finish: FinishReason
  /** The stop sequence that ended the answer; null when none did. */
  readonly stopSequence: string | null
  /** A PNG file that comes after everything else. */
  readonly image?: Uint8Array
}

export interface PerformanceUsage {
  /** All prompt tokens, the cached ones included. */
  readonly input: number
  readonly cachedInput: number
  /** Prompt tokens seen for the first time that a repetition would read from cache. */
  readonly writtenInput: number
  /** All generated tokens, thinking included. */
  readonly output: number
  readonly reasoning: number
  /** Those of the generated tokens that images took. */
  readonly imageOutput?: number
}

/** What the model says, once, for every face to write in its own format. */
export interface Performance {
  readonly choices: readonly Choice[]
  /** null when the supplier is to report none. */
  readonly usage: PerformanceUsage | null
  /** Formats that report usage while they stream must wait with it until the end. */
  readonly hasLateUsage?: true
}

type PromptUsage = Omit<PerformanceUsage, 'output' | 'reasoning' | 'imageOutput'>

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

interface StoppedLines {
  readonly lines: readonly Line[]
  readonly stopSequence: string | null
}

interface LimitedLines extends StoppedLines {
  readonly isCut: boolean
}

function stopAtSequence(lines: readonly Line[], sequences: readonly string[]): StoppedLines {
  const kept: Line[] = []
  for (const line of lines) {
    const stop = line.type === 'say' ? findFirst(line.text, sequences) : null
    if (stop !== null)
      return { lines: [...kept, { ...line, text: line.text.slice(0, stop.at) }], stopSequence: stop.sequence }
    kept.push(line)
  }
  return { lines: kept, stopSequence: null }
}

function findFirst(text: string, sequences: readonly string[]): { at: number; sequence: string } | null {
  const found = sequences
    .filter((sequence) => sequence !== '')
    .map((sequence) => ({ at: text.indexOf(sequence), sequence }))
    .filter(({ at }) => at !== -1)
  return found.sort((one, other) => one.at - other.at)[0] ?? null
}

// A tool call may be cut in the middle of its arguments, which is what real models do at their limit.
function limitLength(stopped: StoppedLines, maxTokens: number | null): LimitedLines {
  if (maxTokens === null) return { ...stopped, isCut: false }
  const kept: Line[] = []
  let left = maxTokens * CHARACTERS_PER_TOKEN
  for (const line of stopped.lines) {
    if (left === 0) return { lines: kept, stopSequence: null, isCut: true }
    const text = takeCharacters(line.text, left)
    kept.push({ ...line, text })
    if (text.length < line.text.length) return { lines: kept, stopSequence: null, isCut: true }
    left -= text.length
  }
  return { ...stopped, isCut: false }
}

function sumCharacters(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.text.length, 0)
}

function toChoice({ lines, stopSequence, isCut }: LimitedLines): Choice {
  const steps = lines.map(({ text, ...line }): Step => ({ ...line, pieces: cutIntoPieces(text) }))
  return { steps, finish: isCut ? 'length' : finishOf(lines), stopSequence }
}

function finishOf(lines: readonly Line[]): FinishReason {
  if (lines.some((line) => line.type === 'call')) return 'tool-call'
  return lines.some((line) => line.type === 'refuse') ? 'refusal' : 'stop'
}

/** All of a step's text at once. */
export function readStep(step: Step): string {
  return [...step.pieces].join('')
}

/** An answer of any length that costs no memory: each piece exists only while it is being written. */
export function performEndlessly(pieces: number, bytesPerPiece: number, prompt: PromptUsage): Performance {
  const piece = 'x'.repeat(bytesPerPiece)
  const step: Step = { type: 'say', pieces: repeat(piece, pieces) }
  const usage = { ...prompt, output: countTokens(pieces * bytesPerPiece), reasoning: 0 }
  return { choices: [{ steps: [step], finish: 'stop', stopSequence: null }], usage }
}

function repeat(piece: string, times: number): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (let written = 0; written < times; written++) yield piece
    },
  }
}
