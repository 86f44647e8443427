/** Reads the messages of requests in the four formats, part by part. */

import type { Attachment, ChatFormat, ToolCall } from './question.ts'
import { at, listOf, textOf } from './read-answer.ts'

/** A part of a conversation. */
export type Bit =
  | { readonly type: 'system' | 'said' | 'answered'; readonly text: string }
  | { readonly type: 'file'; readonly file: Attachment }
  | { readonly type: 'call'; readonly call: ToolCall }
  /** Without an id, it belongs to the last call of that name. */
  | { readonly type: 'result'; readonly id: string; readonly name: string; readonly output: string }
  | { readonly type: 'lost'; readonly what: string }

type Reader = (body: unknown) => Bit[]

export const BIT_READERS: Readonly<Record<ChatFormat, Reader>> = {
  'chat-completion': (body) => listOf(at(body, 'messages')).flatMap(readChatMessage),
  responses: (body) => [
    ...words('system', at(body, 'instructions')),
    ...(at(body, 'previous_response_id') === undefined ? [] : [lost('previous messages')]),
    ...(typeof at(body, 'input') === 'string'
      ? words('said', at(body, 'input'))
      : listOf(at(body, 'input')).flatMap(readItem)),
  ],
  messages: (body) => [
    ...words('system', at(body, 'system')),
    ...listOf(at(body, 'messages')).flatMap((message) => {
      const type = at(message, 'role') === 'assistant' ? 'answered' : 'said'
      return readParts(at(message, 'content'), type)
    }),
  ],
  'content-generation': (body) => [
    ...words('system', at(body, 'systemInstruction', 'parts')),
    ...listOf(at(body, 'contents')).flatMap((content) => {
      const type = at(content, 'role') === 'model' ? 'answered' : 'said'
      return listOf(at(content, 'parts')).flatMap((part) => readContentPart(part, type))
    }),
  ],
}

function readChatMessage(message: unknown): Bit[] {
  const content = at(message, 'content')
  switch (at(message, 'role')) {
    case 'system':
    case 'developer':
      return words('system', content)
    case 'tool':
      return [{ type: 'result', id: textOf(at(message, 'tool_call_id')), name: '', output: plain(content) }]
    case 'assistant': {
      const calls = listOf(at(message, 'tool_calls')).map((call) => ({
        type: 'call' as const,
        call: {
          id: textOf(at(call, 'id')),
          name: textOf(at(call, 'function', 'name')),
          arguments: textOf(at(call, 'function', 'arguments')),
        },
      }))
      return [...readParts(content, 'answered'), ...calls]
    }
    default:
      return readParts(content, 'said')
  }
}

function readItem(item: unknown): Bit[] {
  switch (at(item, 'type')) {
    case 'function_call':
      return [
        {
          type: 'call',
          call: {
            id: textOf(at(item, 'call_id')),
            name: textOf(at(item, 'name')),
            arguments: textOf(at(item, 'arguments')),
          },
        },
      ]
    case 'function_call_output':
      return [
        { type: 'result', id: textOf(at(item, 'call_id')), name: '', output: plain(at(item, 'output')) },
      ]
    case 'reasoning':
      return []
    case undefined:
    case 'message': {
      const role = at(item, 'role')
      if (role === 'system' || role === 'developer') return words('system', at(item, 'content'))
      return readParts(at(item, 'content'), role === 'assistant' ? 'answered' : 'said')
    }
    default:
      return [lost(textOf(at(item, 'type')))]
  }
}

type Speaker = 'said' | 'answered'

/** The content of a message: text, or parts of all kinds. */
function readParts(content: unknown, speaker: Speaker): Bit[] {
  if (typeof content === 'string') return words(speaker, content)
  return listOf(content).flatMap((part) => readPart(part, speaker))
}

function readPart(part: unknown, speaker: Speaker): Bit[] {
  const type = textOf(at(part, 'type'))
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'refusal':
      return words(speaker, textOf(at(part, 'text')) || textOf(at(part, 'refusal')))
    case 'image_url':
      return readAddress(textOf(at(part, 'image_url', 'url')), 'image')
    case 'input_image':
      return readAddress(textOf(at(part, 'image_url')), 'image')
    case 'file':
      return readAddress(textOf(at(part, 'file', 'file_data')), textOf(at(part, 'file', 'filename')))
    case 'input_file':
      return readAddress(textOf(at(part, 'file_data')), textOf(at(part, 'filename')))
    case 'image':
    case 'document': {
      const { media_type, data } = (at(part, 'source') ?? {}) as Readonly<Record<string, unknown>>
      return readData(textOf(media_type), textOf(data), textOf(at(part, 'title')))
    }
    case 'tool_use': {
      const given = JSON.stringify(at(part, 'input') ?? {})
      const call = { id: textOf(at(part, 'id')), name: textOf(at(part, 'name')), arguments: given }
      return [{ type: 'call', call }]
    }
    case 'tool_result': {
      const output = plain(at(part, 'content'))
      return [{ type: 'result', id: textOf(at(part, 'tool_use_id')), name: '', output }]
    }
    case 'thinking':
    case 'redacted_thinking':
      return []
    default:
      return [lost(type === '' ? 'a part' : type)]
  }
}

function readContentPart(part: unknown, speaker: Speaker): Bit[] {
  if (at(part, 'thought') === true) return []
  const call = at(part, 'functionCall')
  const name = textOf(at(call, 'name'))
  if (call !== undefined) {
    const id = textOf(at(call, 'id')) || name
    return [{ type: 'call', call: { id, name, arguments: JSON.stringify(at(call, 'args') ?? {}) } }]
  }
  const response = at(part, 'functionResponse')
  if (response !== undefined) {
    const output = JSON.stringify(at(response, 'response') ?? {})
    return [{ type: 'result', id: '', name: textOf(at(response, 'name')), output }]
  }
  const inline = at(part, 'inlineData')
  if (inline !== undefined) return readData(textOf(at(inline, 'mimeType')), textOf(at(inline, 'data')), '')
  if (at(part, 'text') !== undefined) return words(speaker, at(part, 'text'))
  return [lost(Object.keys((part ?? {}) as object)[0] ?? 'a part')]
}

const DATA_ADDRESS = /^data:([\w/+.-]+);base64,/

/** A file in an address. One that must be fetched from elsewhere is not: the browser may not. */
function readAddress(address: string, name: string): Bit[] {
  const type = DATA_ADDRESS.exec(address)?.[1]
  if (type === undefined) return [lost('files by address')]
  return readData(type, address.slice(address.indexOf(',') + 1), name)
}

function readData(type: string, data: string, name: string): Bit[] {
  const kind = type.startsWith('image/') ? 'image' : type === 'application/pdf' ? 'pdf' : null
  if (kind === null || data === '') return [lost(type === '' ? 'files by address' : type)]
  return [{ type: 'file', file: { kind, name: name === '' ? kind : name, type, data } }]
}

/** Text, or parts that are text. */
function words(type: 'system' | Speaker, content: unknown): Bit[] {
  const text = plain(content)
  return text === '' ? [] : [{ type, text }]
}

function plain(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => textOf(at(part, 'text')))
    .join('\n')
}

function lost(what: string): Bit {
  return { type: 'lost', what }
}
