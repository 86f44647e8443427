import type { ChatFormat, ToolCall } from './question.ts'

/** What one event, or a whole response, adds. */
export interface Piece {
  readonly text: string
  readonly thought: string
  readonly calls: readonly CallPiece[]
  /** The gateway's error message. */
  readonly failure: string | null
  /** Whether the response is complete. */
  readonly isLast: boolean
}

const NOTHING: Piece = { text: '', thought: '', calls: [], failure: null, isLast: false }

/** A part of a call. Parts with the same index belong together; a whole call has none. */
export interface CallPiece extends ToolCall {
  readonly index: number | null
}

/** Adds parts of calls to the calls so far. */
export function addCalls(calls: readonly CallPiece[], pieces: readonly CallPiece[]): readonly CallPiece[] {
  const all = [...calls]
  for (const piece of pieces) {
    const place = all.findIndex(({ index }) => index !== null && index === piece.index)
    const before = all[place]
    if (before === undefined) all.push({ ...piece, id: piece.id || `call_${all.length + 1}` })
    else all[place] = { ...before, arguments: before.arguments + piece.arguments }
  }
  return all
}

/** Reads the next event of a stream. Unknown events add nothing. */
export function readPiece(format: ChatFormat, data: string): Piece {
  if (data === '[DONE]') return { ...NOTHING, isLast: true }
  const value = parse(data)
  const failure = failureOf(value)
  if (failure !== null) return { ...NOTHING, failure }
  switch (format) {
    case 'chat-completion':
      return readChatPiece(value)
    case 'responses':
      return readResponsesPiece(value)
    case 'messages':
      return readMessagesPiece(value)
    case 'content-generation':
      return readContentPiece(value)
  }
}

/** Reads a response that was not streamed. */
export function readWholeAnswer(format: ChatFormat, body: string): Piece {
  const value = parse(body)
  const failure = failureOf(value)
  if (failure !== null) return { ...NOTHING, failure }
  switch (format) {
    case 'chat-completion': {
      const message = at(value, 'choices', 0, 'message')
      return {
        ...NOTHING,
        text: textOf(at(message, 'content')),
        thought: textOf(at(message, 'reasoning_content')),
        calls: readChatCalls(at(message, 'tool_calls')),
        isLast: true,
      }
    }
    case 'responses':
      return readOutputItems(listOf(at(value, 'output')))
    case 'messages': {
      const blocks = listOf(at(value, 'content'))
      const join = (name: string) => blocks.map((block) => textOf(at(block, name))).join('')
      const calls = blocks.flatMap((block) => readUse(block, null))
      return { ...NOTHING, text: join('text'), thought: join('thinking'), calls, isLast: true }
    }
    case 'content-generation':
      return { ...readContentPiece(value), isLast: true }
  }
}

function readChatPiece(value: unknown): Piece {
  const delta = at(value, 'choices', 0, 'delta')
  return {
    ...NOTHING,
    text: textOf(at(delta, 'content')),
    thought: textOf(at(delta, 'reasoning_content')),
    calls: readChatCalls(at(delta, 'tool_calls')),
  }
}

function readChatCalls(calls: unknown): CallPiece[] {
  return listOf(calls).map((call, place) => ({
    index: numberOf(at(call, 'index')) ?? place,
    id: textOf(at(call, 'id')),
    name: textOf(at(call, 'function', 'name')),
    arguments: textOf(at(call, 'function', 'arguments')),
  }))
}

function readResponsesPiece(value: unknown): Piece {
  const delta = textOf(at(value, 'delta'))
  switch (at(value, 'type')) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return { ...NOTHING, text: delta }
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return { ...NOTHING, thought: delta }
    // Holds the whole call, so its parts before are not needed.
    case 'response.output_item.done':
      return { ...NOTHING, calls: readItemCalls([at(value, 'item')]) }
    case 'response.failed':
      return {
        ...NOTHING,
        failure: textOf(at(value, 'response', 'error', 'message')) || 'The response failed.',
      }
    case 'response.completed':
    case 'response.incomplete':
      return { ...NOTHING, isLast: true }
    default:
      return NOTHING
  }
}

function readItemCalls(items: readonly unknown[]): CallPiece[] {
  return items
    .filter((item) => at(item, 'type') === 'function_call')
    .map((item) => ({
      index: null,
      id: textOf(at(item, 'call_id')),
      name: textOf(at(item, 'name')),
      arguments: textOf(at(item, 'arguments')),
    }))
}

function readOutputItems(items: readonly unknown[]): Piece {
  const join = (type: string, name: string) =>
    items
      .filter((item) => at(item, 'type') === type)
      .flatMap((item) => listOf(at(item, name)))
      .map((part) => textOf(at(part, 'text')) || textOf(at(part, 'refusal')))
      .join('')
  return {
    text: join('message', 'content'),
    thought: join('reasoning', 'summary'),
    calls: readItemCalls(items),
    failure: null,
    isLast: true,
  }
}

function readMessagesPiece(value: unknown): Piece {
  const isLast = at(value, 'type') === 'message_stop'
  return {
    ...NOTHING,
    text: textOf(at(value, 'delta', 'text')),
    thought: textOf(at(value, 'delta', 'thinking')),
    calls: readMessagesCalls(value),
    isLast,
  }
}

/** Blocks are numbered from the start of the answer, so the numbers of calls have gaps. */
function readMessagesCalls(value: unknown): CallPiece[] {
  const index = numberOf(at(value, 'index'))
  if (at(value, 'type') === 'content_block_start') return readUse(at(value, 'content_block'), index)
  const given = textOf(at(value, 'delta', 'partial_json'))
  return given === '' ? [] : [{ index, id: '', name: '', arguments: given }]
}

/** At the start of a streamed block, the arguments are still empty. */
function readUse(block: unknown, index: number | null): CallPiece[] {
  if (at(block, 'type') !== 'tool_use') return []
  const given = index === null ? JSON.stringify(at(block, 'input') ?? {}) : ''
  return [{ index, id: textOf(at(block, 'id')), name: textOf(at(block, 'name')), arguments: given }]
}

function readContentPiece(value: unknown): Piece {
  const candidate = at(value, 'candidates', 0)
  const parts = listOf(at(candidate, 'content', 'parts'))
  const join = (isThought: boolean) =>
    parts
      .filter((part) => (at(part, 'thought') === true) === isThought)
      .map((part) => textOf(at(part, 'text')))
      .join('')
  return {
    ...NOTHING,
    text: join(false),
    thought: join(true),
    calls: parts.flatMap(readContentCall),
    isLast: textOf(at(candidate, 'finishReason')) !== '',
  }
}

function readContentCall(part: unknown): CallPiece[] {
  const call = at(part, 'functionCall')
  if (call === undefined) return []
  const given = JSON.stringify(at(call, 'args') ?? {})
  return [{ index: null, id: textOf(at(call, 'id')), name: textOf(at(call, 'name')), arguments: given }]
}

/** The message of an error envelope. All formats use the same envelope. */
export function failureOf(value: unknown): string | null {
  const error = at(value, 'error')
  if (typeof error !== 'object' || error === null) return null
  return textOf(at(error, 'message')) || 'The gateway reported an error without a message.'
}

/** The value at a path of keys and indexes, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Readonly<Record<string | number, unknown>>)[step]
  }
  return found
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
