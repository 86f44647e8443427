/** Writes the turns of a conversation in the four formats. */

import type { Attachment, ChatFormat, JsonObject, ToolCall, ToolResult, Turn } from './question.ts'
import { parse } from './read-answer.ts'

type Item = Readonly<Record<string, unknown>>

interface Writer {
  said(text: string, files: readonly Attachment[]): readonly Item[]
  answered(text: string, calls: readonly ToolCall[]): readonly Item[]
  returned(results: readonly ToolResult[]): readonly Item[]
}

export function writeTurns(format: ChatFormat, turns: readonly Turn[]): Item[] {
  return turns.flatMap((turn) => writeTurn(WRITERS[format], turn))
}

function writeTurn(writer: Writer, turn: Turn): readonly Item[] {
  switch (turn.role) {
    case 'user':
      return writer.said(withTexts(turn.text, turn.files ?? []), binaries(turn.files ?? []))
    case 'assistant':
      return writer.answered(turn.text, turn.calls ?? [])
    case 'tool':
      return writer.returned(turn.results)
  }
}

/** Files of text stand in the message itself, which every model reads. */
function withTexts(text: string, files: readonly Attachment[]): string {
  const texts = files
    .filter(({ kind }) => kind === 'text')
    .map(({ name, data }) => `File ${name}:\n\n${data}\n`)
  return [...texts, ...(text === '' ? [] : [text])].join('\n')
}

function binaries(files: readonly Attachment[]): readonly Attachment[] {
  return files.filter(({ kind }) => kind !== 'text')
}

function addressOf({ type, data }: Attachment): string {
  return `data:${type};base64,${data}`
}

/** A part for text, unless there is none. */
function textPart(text: string, part: Item): readonly Item[] {
  return text === '' ? [] : [part]
}

const CHAT: Writer = {
  said: (text, files) => {
    if (files.length === 0) return [{ role: 'user', content: text }]
    const parts = files.map((file) =>
      file.kind === 'image'
        ? { type: 'image_url', image_url: { url: addressOf(file) } }
        : { type: 'file', file: { filename: file.name, file_data: addressOf(file) } },
    )
    return [{ role: 'user', content: [...parts, ...textPart(text, { type: 'text', text })] }]
  },
  answered: (text, calls) => {
    if (calls.length === 0) return [{ role: 'assistant', content: text }]
    const tool_calls = calls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    }))
    return [{ role: 'assistant', content: text === '' ? null : text, tool_calls }]
  },
  returned: (results) =>
    results.map(({ call, output }) => ({ role: 'tool', tool_call_id: call.id, content: output })),
}

const RESPONSES: Writer = {
  said: (text, files) => {
    if (files.length === 0) return [{ role: 'user', content: text }]
    const parts = files.map((file) =>
      file.kind === 'image'
        ? { type: 'input_image', image_url: addressOf(file) }
        : { type: 'input_file', filename: file.name, file_data: addressOf(file) },
    )
    return [{ role: 'user', content: [...parts, ...textPart(text, { type: 'input_text', text })] }]
  },
  answered: (text, calls) => [
    ...(calls.length > 0 && text === '' ? [] : [{ role: 'assistant', content: text }]),
    ...calls.map(({ id, name, arguments: given }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: given,
    })),
  ],
  returned: (results) =>
    results.map(({ call, output }) => ({ type: 'function_call_output', call_id: call.id, output })),
}

const MESSAGES: Writer = {
  said: (text, files) => {
    if (files.length === 0) return [{ role: 'user', content: text }]
    const parts = files.map(({ kind, name, type, data }) => {
      const source = { type: 'base64', media_type: type, data }
      return kind === 'image' ? { type: 'image', source } : { type: 'document', source, title: name }
    })
    return [{ role: 'user', content: [...parts, ...textPart(text, { type: 'text', text })] }]
  },
  answered: (text, calls) => {
    if (calls.length === 0) return [{ role: 'assistant', content: text }]
    const uses = calls.map(({ id, name, arguments: given }) => ({
      type: 'tool_use',
      id,
      name,
      input: objectOf(given) ?? {},
    }))
    return [{ role: 'assistant', content: [...textPart(text, { type: 'text', text }), ...uses] }]
  },
  returned: (results) => [
    {
      role: 'user',
      content: results.map(({ call, output }) => ({
        type: 'tool_result',
        tool_use_id: call.id,
        content: output,
      })),
    },
  ],
}

const CONTENT: Writer = {
  said: (text, files) => {
    const parts = files.map(({ type, data }) => ({ inlineData: { mimeType: type, data } }))
    return [{ role: 'user', parts: [...parts, ...textPart(text, { text })] }]
  },
  answered: (text, calls) => {
    const asked = calls.map(({ name, arguments: given }) => ({
      functionCall: { name, args: objectOf(given) ?? {} },
    }))
    return [{ role: 'model', parts: [...textPart(text, { text }), ...asked] }]
  },
  returned: (results) => [
    {
      role: 'user',
      parts: results.map(({ call, output }) => ({
        functionResponse: { name: call.name, response: objectOf(output) ?? { result: output } },
      })),
    },
  ],
}

const WRITERS: Readonly<Record<ChatFormat, Writer>> = {
  'chat-completion': CHAT,
  responses: RESPONSES,
  messages: MESSAGES,
  'content-generation': CONTENT,
}

/** Null for anything but a JSON object. */
export function objectOf(text: string): JsonObject | null {
  return objectIn(parse(text))
}

export function objectIn(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
}
