import { generateJson } from '../json/generate-json.ts'
import { type Ask, lastUserText, type Tool, type Turn, trailingResults } from '../performance/ask.ts'
import type { Line } from '../performance/performance.ts'
import { takeCharacters } from '../performance/tokens.ts'
import { Refusal } from '../refusal.ts'
import type { Actor } from './actor.ts'
import { composeAnswer, describeImages } from './chat.ts'
import { nextInScript } from './script.ts'

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
  return [{ type: 'say', text: results.length > 0 ? reportResults(results) : composeAnswer(ask, choice) }]
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
    throw new Refusal('bad-request', `Tool choice '${name}' not found in tools.`, { field: 'tool_choice' })
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
  return results.map(reportResult).join('\n')
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

/** What a model thinks before it acts. A user who speaks of redacting gets a thought that nobody may read, too. */
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
