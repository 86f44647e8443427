import type { ChatFormat } from './write-request.ts'

/** What one event, or a whole response, adds. */
export interface Piece {
  readonly text: string
  readonly thought: string
  /** The gateway's error message. */
  readonly failure: string | null
  /** Whether the response is complete. */
  readonly isLast: boolean
}

const NOTHING: Piece = { text: '', thought: '', failure: null, isLast: false }

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
        isLast: true,
      }
    }
    case 'responses':
      return readOutputItems(listOf(at(value, 'output')))
    case 'messages': {
      const blocks = listOf(at(value, 'content'))
      const join = (name: string) => blocks.map((block) => textOf(at(block, name))).join('')
      return { ...NOTHING, text: join('text'), thought: join('thinking'), isLast: true }
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
  }
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

function readOutputItems(items: readonly unknown[]): Piece {
  const join = (type: string, name: string) =>
    items
      .filter((item) => at(item, 'type') === type)
      .flatMap((item) => listOf(at(item, name)))
      .map((part) => textOf(at(part, 'text')) || textOf(at(part, 'refusal')))
      .join('')
  return { ...NOTHING, text: join('message', 'content'), thought: join('reasoning', 'summary'), isLast: true }
}

function readMessagesPiece(value: unknown): Piece {
  const isLast = at(value, 'type') === 'message_stop'
  return {
    ...NOTHING,
    text: textOf(at(value, 'delta', 'text')),
    thought: textOf(at(value, 'delta', 'thinking')),
    isLast,
  }
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
    isLast: textOf(at(candidate, 'finishReason')) !== '',
  }
}

/** The message of an error envelope. All formats use the same envelope. */
export function failureOf(value: unknown): string | null {
  const error = at(value, 'error')
  if (typeof error !== 'object' || error === null) return null
  return textOf(at(error, 'message')) || 'The gateway reported an error without a message.'
}

/** The value at a path of keys and indexes, or undefined. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Readonly<Record<string | number, unknown>>)[step]
  }
  return found
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
