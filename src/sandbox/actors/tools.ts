import { isObject, tryParseJson } from '../../wire/json-values.ts'
import { generateJson } from '../json/generate-json.ts'
import { type Ask, lastUserText, type Tool, type Turn, trailingResults } from '../performance/ask.ts'
import type { Line } from '../performance/performance.ts'
import { takeCharacters } from '../performance/tokens.ts'
import { SandboxError } from '../sandbox-error.ts'
import type { Actor } from './actor.ts'
import { composeAnswer, describeImages } from './chat.ts'

export const tools: Actor = {
  model: 'sandbox-tools',
  summary:
    'Calls the first offered tool, or those the user names, then answers from the result; thinks when asked to.',
  speak: (ask, choice) => {
    const action = act(ask, choice)
    return ask.thinking === 'asked' ? [...thinkAbout(ask), ...action] : action
  },
}

/** Calls a tool, answers from results, or talks. */
export function act(ask: Ask, choice: number): readonly Line[] {
  const calls = chooseCalls(ask)
  if (calls.length > 0) return calls
  const results = trailingResults(ask.turns)
  const report = results.length > 0 ? reportResults(results) : undefined
  return [{ type: 'say', text: composeAnswer(ask, choice, report) }]
}

// A forced choice is the caller's last word; a script only fills in what the model would be free to choose.
function chooseCalls(ask: Ask): readonly Line[] {
  const script = ask.toolChoice.type === 'auto' ? nextInScript(ask) : null
  if (script?.type === 'over') return []
  if (script !== null) return [writeCall(script.tool, script.input)]
  return chooseTools(ask).map((tool) => callTool(tool, ask))
}

function chooseTools(ask: Ask): readonly Tool[] {
  const { toolChoice } = ask
  switch (toolChoice.type) {
    case 'none':
      return []
    case 'named':
      return [findTool(ask, toolChoice.name)]
    case 'required':
      return firstTools(ask)
    case 'auto':
      return trailingResults(ask.turns).length > 0 ? [] : firstTools(ask)
  }
}

function findTool(ask: Ask, name: string): Tool {
  const tool = ask.tools.find((candidate) => candidate.name === name)
  if (tool === undefined) {
    throw new SandboxError('bad-request', `Tool choice '${name}' not found in tools.`, {
      field: 'tool_choice',
    })
  }
  return tool
}

function firstTools(ask: Ask): readonly Tool[] {
  const wantsSeveral = ask.parallelTools && /parallel/i.test(lastUserText(ask))
  return ask.tools.slice(0, wantsSeveral ? 2 : 1)
}

function callTool(tool: Tool, ask: Ask): Line {
  const topic = lastUserText(ask)
  const text =
    tool.input.type === 'json' ? JSON.stringify(generateArguments(tool.input.schema, topic)) : topic
  return writeCall(tool, text)
}

function writeCall(tool: Tool, text: string): Line {
  const namespace = tool.namespace === undefined ? {} : { namespace: tool.namespace }
  return { type: 'call', tool: tool.name, ...namespace, input: tool.input.type, text }
}

// A tool without a schema takes no arguments, and arguments are always an object.
function generateArguments(schema: unknown, topic: string): unknown {
  const value = generateJson(schema, topic)
  return typeof value === 'object' && value !== null ? value : {}
}

function reportResults(results: readonly Turn[]): string {
  return results
    .map(reportResult)
    .filter((report) => report !== '')
    .join('\n')
}

function reportResult(turn: Turn): string {
  const remark = describeImages(turn.images)
  if (turn.role !== 'tool') return remark
  const verb = turn.isError === true ? 'failed' : 'returned'
  const words = `${turn.toolName ?? 'The tool'} ${verb}: ${turn.text}`
  return remark === '' ? words : `${words} ${remark}`
}

export const reasoner: Actor = {
  model: 'sandbox-reasoner',
  summary: 'Thinks aloud first, then answers or calls the first offered tool.',
  demandsSeals: true,
  speak: (ask, choice) => {
    const action = act(ask, choice)
    return ask.thinking === 'declined' ? action : [...thinkAbout(ask), ...action]
  },
}

/** What a model thinks before it acts. A prompt that mentions redacting also gets a redacted thought. */
function thinkAbout(ask: Ask): readonly Line[] {
  const thought: Line = { type: 'think', text: composeThought(ask) }
  if (!/redact/i.test(lastUserText(ask))) return [thought]
  return [
    thought,
    { type: 'think', isRedacted: true, text: 'This part of the thought is for nobody to read.' },
  ]
}

function composeThought(ask: Ask): string {
  const subject = takeCharacters(lastUserText(ask), 80)
  const result = trailingResults(ask.turns).length > 0 ? ' A tool has answered, so I can conclude.' : ''
  return `Let me think about "${subject}". There are ${ask.turns.length} messages to consider.${result}`
}

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
const MAX_TRIES = 1000

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

/** The JSON value at the start of the text. The rest is ignored. */
function readInput(text: string): Input | null {
  const closing = text.startsWith('{') ? '}' : '"'
  let end = text.indexOf(closing, 1)
  for (let tries = 0; end !== -1 && tries < MAX_TRIES; tries++) {
    const value = tryParseJson(text.slice(0, end + 1))
    if (isObject(value)) return { type: 'json', text: JSON.stringify(value) }
    if (typeof value === 'string') return { type: 'text', text: value }
    end = text.indexOf(closing, end + 1)
  }
  return null
}
