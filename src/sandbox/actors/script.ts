import { isObject, tryParseJson } from '../../wire/json-values.ts'
import type { Ask, Tool, Turn } from '../performance/ask.ts'

/**
 * A user can say exactly which tools are to be called, one after the other: `use tool <name> with <JSON object>`, or
 * with a JSON string for a tool that takes free text. Each call waits for the result of the one before it, and after
 * the last one the model answers. What else stands around these words does not matter, since programs that talk for a
 * user surround them with words of their own.
 */
type Script =
  | { readonly type: 'call'; readonly tool: Tool; readonly input: string }
  /** Every call has been made, or names a tool that is not offered here. */
  | { readonly type: 'over' }

// A value that is still open after so many closing signs is none; without a bound, reading it would never end.
const MOST_TRIES = 1000

const COMMAND = /\buse tool (?<tool>[\w.:-]+) with\s*(?=["{])/gi

/** What the script wants next; null when the user gave none. */
export function nextInScript(ask: Ask): Script | null {
  const start = ask.turns.findLastIndex((turn) => turn.role === 'user' && readCommands(turn).length > 0)
  const turn = ask.turns[start]
  const later = ask.turns.slice(start + 1)
  if (turn === undefined || isAnswered(later)) return null
  const results = later.filter(({ role }) => role === 'tool').length
  const command = readCommands(turn)[results]
  const tool = ask.tools.find(({ name, input }) => name === command?.tool && input.type === command.type)
  if (command === undefined || tool === undefined) return { type: 'over' }
  return { type: 'call', tool, input: command.text }
}

/** Whether the model has spoken since the last result: then the script is history, and what follows is a new matter. */
function isAnswered(later: readonly Turn[]): boolean {
  return later
    .slice(later.findLastIndex(({ role }) => role === 'tool') + 1)
    .some(({ role }) => role === 'assistant')
}

interface Input {
  readonly type: Tool['input']['type']
  /** As the call writes it: JSON text, or the free text itself. */
  readonly text: string
}

interface Command extends Input {
  readonly tool: string
}

function readCommands({ text }: Turn): readonly Command[] {
  return [...text.matchAll(COMMAND)].flatMap((match) => {
    const input = readInput(text.slice(match.index + match[0].length))
    return input === null ? [] : [{ tool: match.groups?.tool ?? '', ...input }]
  })
}

/** The JSON value the text begins with. Whatever follows it is somebody else's. */
function readInput(text: string): Input | null {
  const closing = text.startsWith('{') ? '}' : '"'
  let end = text.indexOf(closing, 1)
  for (let tries = 0; end !== -1 && tries < MOST_TRIES; tries++) {
    const value = tryParseJson(text.slice(0, end + 1))
    if (isObject(value)) return { type: 'json', text: JSON.stringify(value) }
    if (typeof value === 'string') return { type: 'text', text: value }
    end = text.indexOf(closing, end + 1)
  }
  return null
}
