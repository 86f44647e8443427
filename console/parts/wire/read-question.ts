/** Reads a request back into a question, as far as the playground can ask it. */

import type { ChatFormat, Effort, Question, Tool, ToolCall, Turn } from './question.ts'
import { at, listOf, numberOf, textOf } from './read-answer.ts'
import { BIT_READERS, type Bit } from './read-bits.ts'
import { objectIn } from './write-turns.ts'

export interface ReadQuestion {
  readonly question: Question
  /** Names of what the playground cannot send, such as `top_p`. */
  readonly lost: readonly string[]
}

type Body = Readonly<Record<string, unknown>>

export function readQuestion(format: ChatFormat, model: string, body: Body): ReadQuestion {
  const bits = BIT_READERS[format](body)
  const config = at(body, 'generationConfig')
  const effort = effortOf(body)
  const tools = toolsOf(body)
  const question: Question = {
    format,
    model,
    system: bits.flatMap((bit) => (bit.type === 'system' ? [bit.text] : [])).join('\n\n'),
    turns: foldTurns(bits),
    temperature: numberOf(body.temperature) ?? numberOf(at(config, 'temperature')),
    maxTokens: maxTokensOf(body, effort),
    effort,
    isStreamed: format === 'content-generation' || body.stream === true,
    tools,
    schema: objectIn(
      at(body, 'response_format', 'json_schema', 'schema') ??
        at(body, 'text', 'format', 'schema') ??
        at(body, 'output_config', 'format', 'schema') ??
        at(config, 'responseJsonSchema'),
    ),
  }
  const fields = Object.keys(body).filter((name) => !KNOWN_FIELDS.has(name))
  const settings = Object.keys(objectIn(config) ?? {}).filter((name) => !KNOWN_SETTINGS.has(name))
  const otherTools = listOf(body.tools).filter((tool) => functionsIn(tool).length === 0)
  const lost = [
    ...bits.flatMap((bit) => (bit.type === 'lost' ? [bit.what] : [])),
    ...fields,
    ...settings,
    ...otherTools.map((tool) => textOf(at(tool, 'type')) || Object.keys(objectIn(tool) ?? {})[0] || 'a tool'),
  ]
  return { question, lost: [...new Set(lost)] }
}

const KNOWN_FIELDS = new Set([
  ...['model', 'messages', 'input', 'contents', 'system', 'instructions', 'systemInstruction'],
  ...['temperature', 'max_tokens', 'max_completion_tokens', 'max_output_tokens', 'generationConfig'],
  ...['reasoning_effort', 'reasoning', 'thinking', 'stream', 'stream_options', 'store', 'tools'],
  ...['response_format', 'text', 'output_config'],
])
const KNOWN_SETTINGS = new Set([
  'temperature',
  'maxOutputTokens',
  'thinkingConfig',
  'responseMimeType',
  'responseJsonSchema',
])

/** Puts together what belongs to one turn. */
function foldTurns(bits: readonly Bit[]): Turn[] {
  const calls = bits.flatMap((bit) => (bit.type === 'call' ? [bit.call] : []))
  const turns: Turn[] = []
  for (const turn of bits.flatMap((bit) => turnOf(bit, calls))) {
    const last = turns.at(-1)
    const joined = last === undefined ? null : joinTurns(last, turn)
    if (joined === null) turns.push(turn)
    else turns[turns.length - 1] = joined
  }
  return turns
}

/** A turn of this bit alone. */
function turnOf(bit: Bit, calls: readonly ToolCall[]): Turn[] {
  switch (bit.type) {
    case 'said':
      return [{ role: 'user', text: bit.text, files: [] }]
    case 'file':
      return [{ role: 'user', text: '', files: [bit.file] }]
    case 'answered':
      return [{ role: 'assistant', text: bit.text, calls: [] }]
    case 'call':
      return [{ role: 'assistant', text: '', calls: [bit.call] }]
    case 'result': {
      const call = calls.find(({ id, name }) => (bit.id === '' ? name === bit.name : id === bit.id))
      return call === undefined ? [] : [{ role: 'tool', results: [{ call, output: bit.output }] }]
    }
    default:
      return []
  }
}

/** Null for turns of different speakers. */
function joinTurns(one: Turn, other: Turn): Turn | null {
  if (one.role === 'user' && other.role === 'user') {
    const files = [...(one.files ?? []), ...(other.files ?? [])]
    return { role: 'user', text: join(one.text, other.text), files }
  }
  if (one.role === 'assistant' && other.role === 'assistant') {
    const calls = [...(one.calls ?? []), ...(other.calls ?? [])]
    return { role: 'assistant', text: join(one.text, other.text), calls }
  }
  if (one.role === 'tool' && other.role === 'tool') {
    return { role: 'tool', results: [...one.results, ...other.results] }
  }
  return null
}

function join(one: string, other: string): string {
  return [one, other].filter((text) => text !== '').join('\n\n')
}

const MOST_LOW = 1_024
const MOST_MEDIUM = 4_096
const BUDGETS: Readonly<Record<Effort, number>> = { '': 0, low: 1_024, medium: 4_096, high: 16_384 }

function effortOf(body: Body): Effort {
  const named = textOf(body.reasoning_effort) || textOf(at(body, 'reasoning', 'effort'))
  if (named === 'low' || named === 'medium' || named === 'high') return named
  const budget =
    numberOf(at(body, 'thinking', 'budget_tokens')) ??
    numberOf(at(body, 'generationConfig', 'thinkingConfig', 'thinkingBudget')) ??
    0
  if (budget <= 0) return ''
  return budget <= MOST_LOW ? 'low' : budget <= MOST_MEDIUM ? 'medium' : 'high'
}

/** In the messages format, thinking counts against the limit. */
function maxTokensOf(body: Body, effort: Effort): number | null {
  const most =
    numberOf(body.max_completion_tokens) ??
    numberOf(body.max_output_tokens) ??
    numberOf(at(body, 'generationConfig', 'maxOutputTokens')) ??
    numberOf(body.max_tokens)
  if (most === null || at(body, 'thinking', 'budget_tokens') === undefined) return most
  return most > BUDGETS[effort] ? most - BUDGETS[effort] : null
}

function toolsOf(body: Body): Tool[] {
  return listOf(body.tools).flatMap(functionsIn)
}

/** The functions that a tool offers, in whatever format. */
function functionsIn(tool: unknown): Tool[] {
  const declared = listOf(at(tool, 'functionDeclarations'))
  if (declared.length > 0) return declared.flatMap(functionOf)
  const inner = at(tool, 'function')
  return inner === undefined ? functionOf(tool) : functionOf(inner)
}

function functionOf(value: unknown): Tool[] {
  const parameters = objectIn(
    at(value, 'parameters') ?? at(value, 'input_schema') ?? at(value, 'parametersJsonSchema'),
  )
  const name = textOf(at(value, 'name'))
  if (name === '' || parameters === null) return []
  return [{ name, description: textOf(at(value, 'description')), parameters }]
}
