import type { Conversation, Turn } from '../../src/conversation/conversation.ts'
import type { JsonSchema } from '../../src/conversation/json-schema.ts'
import { type Part, textPart } from '../../src/conversation/part.ts'
import type { Tool } from '../../src/conversation/tool.ts'

/** What a client can make long, in no format: each format writes it in its own way. */
export const CONVERSATIONS: Readonly<Record<string, (items: number) => Partial<Conversation>>> = {
  messages: (items) => ({
    turns: list(items, (at) => turn(at % 2 === 0 ? 'user' : 'assistant', [textPart(`turn ${at}`)])),
  }),
  instructions: (items) => ({ instructions: list(items, (at) => ({ text: `rule ${at}`, cache: null })) }),
  'system turns': (items) => ({
    turns: list(items, (at) => turn(at % 2 === 0 ? 'user' : 'system', [textPart(`turn ${at}`)])),
  }),
  'text parts': (items) => ({
    turns: [
      turn(
        'user',
        list(items, (at) => textPart(`part ${at}`)),
      ),
    ],
  }),
  'cached parts': (items) => ({
    turns: [
      turn(
        'user',
        list(items, (at) => textPart(`part ${at}`, { ttl: '5m' })),
      ),
    ],
  }),
  images: (items) => ({ turns: [turn('user', list(items, image))] }),
  'linked images': (items) => ({ turns: [turn('user', list(items, linkedImage))] }),
  thoughts: (items) => ({
    turns: [USER, turn('assistant', [...list(items, thought), textPart('so')]), USER],
  }),
  'tool calls': (items) => ({
    tools: [tool(0)],
    turns: [USER, turn('assistant', list(items, call)), turn('user', list(items, result))],
  }),
  'tool rounds': (items) => ({
    tools: [tool(0)],
    turns: [USER, ...list(items, (at) => [turn('assistant', [call(at)]), turn('user', [result(at)])]).flat()],
  }),
  'results in another order': (items) => ({
    tools: [tool(0)],
    turns: [
      USER,
      turn('assistant', list(items, call)),
      turn(
        'user',
        list(items, (at) => result(items - 1 - at)),
      ),
    ],
  }),
  'results without calls': (items) => ({
    tools: [tool(0)],
    turns: [USER, turn('assistant', [call(-1)]), turn('user', list(items, result))],
  }),
  'calls without results': (items) => ({
    tools: [tool(0)],
    turns: [USER, turn('assistant', list(items, call)), USER],
  }),
  'calls with the same id': (items) => ({
    tools: [tool(0)],
    turns: [
      USER,
      turn(
        'assistant',
        list(items, () => call(1)),
      ),
      turn(
        'user',
        list(items, () => result(1)),
      ),
    ],
  }),
  'parts of a result': (items) => ({
    tools: [tool(0)],
    turns: [
      USER,
      turn('assistant', [call(1)]),
      turn('user', [{ ...result(1), parts: list(items, (at) => textPart(`part ${at}`)) }]),
    ],
  }),
  tools: (items) => ({ tools: list(items, tool) }),
  'grouped tools': (items) => ({
    tools: list(items, (at) => ({ ...tool(at), namespace: `group${at % 7}` })),
  }),
  'tools with names to replace': (items) => ({
    tools: list(items, (at) => ({ ...tool(at), name: `a.b/${at}` })),
  }),
  'free-text tools': (items) => ({ tools: list(items, freeTextTool) }),
  'allowed tools': (items) => ({
    tools: list(items, tool),
    toolChoice: { type: 'allowed', names: list(items, (at) => `tool_${at}`), isRequired: true },
  }),
  'stop sequences': (items) => ({
    stop: list(items, (at) => `stop ${at}`),
  }),
  'schema properties': (items) => ({ tools: [{ ...tool(0), schema: wideSchema(items) }] }),
  'schema definitions': (items) => ({ tools: [{ ...tool(0), schema: schemaWithDefinitions(items) }] }),
  'schema alternatives': (items) => ({ tools: [{ ...tool(0), schema: schemaWithAlternatives(items) }] }),
  'nested schema': (items) => ({ tools: [{ ...tool(0), schema: deepSchema(Math.min(items / 80, 100)) }] }),
  'answer schema properties': (items) => ({ output: answerSchema(wideSchema(items)) }),
  'answer schema definitions': (items) => ({ output: answerSchema(schemaWithDefinitions(items)) }),
  'answer schema alternatives': (items) => ({ output: answerSchema(schemaWithAlternatives(items)) }),
  metadata: (items) => ({ metadata: Object.fromEntries(list(items, (at) => [`name${at}`, `value ${at}`])) }),
  'long text': (items) => ({ turns: [turn('user', [textPart('words and more '.repeat(items))])] }),
  'white space': (items) => ({ turns: [turn('user', [textPart(`a${' \n'.repeat(items * 8)}b`)])] }),
  'long instructions': (items) => ({
    instructions: [{ text: 'words and more '.repeat(items), cache: null }],
  }),
}

const USER: Turn = { role: 'user', parts: [textPart('hi')] }

export function list<Item>(items: number, make: (at: number) => Item): Item[] {
  return Array.from({ length: items }, (_, at) => make(at))
}

function turn(role: Turn['role'], parts: readonly Part[]): Turn {
  return { role, parts }
}

function image(): Part {
  return {
    type: 'image',
    source: { type: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    detail: null,
    cache: null,
  }
}

function linkedImage(at: number): Part {
  return {
    type: 'image',
    source: { type: 'url', url: `https://images.example/${at}.png`, mediaType: 'image/png' },
    detail: null,
    cache: null,
  }
}

function thought(at: number): Part {
  return { type: 'thinking', text: `thought ${at}`, proof: null, isRedacted: false }
}

function call(at: number): Part {
  return {
    type: 'tool-call',
    id: `call_${at}`,
    name: 'tool_0',
    kind: 'function',
    input: '{"city":"here"}',
    namespace: null,
    proof: null,
  }
}

function result(at: number): Part & { readonly type: 'tool-result' } {
  return {
    type: 'tool-result',
    callId: `call_${at}`,
    name: 'tool_0',
    kind: 'function',
    parts: [textPart(`result ${at}`)],
    isError: false,
    cache: null,
  }
}

function tool(at: number): Tool & { readonly type: 'function' } {
  return {
    type: 'function',
    name: `tool_${at}`,
    namespace: null,
    description: 'Does something.',
    schema: { type: 'object', properties: { city: { type: 'string' } } },
    strict: null,
    cache: null,
  }
}

function freeTextTool(at: number): Tool {
  return {
    type: 'custom',
    name: `tool_${at}`,
    namespace: null,
    description: 'Takes text.',
    grammar: null,
    cache: null,
  }
}

function answerSchema(schema: JsonSchema): Conversation['output'] {
  return { type: 'schema', name: 'answer', description: null, schema, strict: true }
}

function wideSchema(items: number): JsonSchema {
  const properties = Object.fromEntries(list(items, (at) => [`p${at}`, { type: 'string', minLength: 1 }]))
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

function schemaWithDefinitions(items: number): JsonSchema {
  const property = (at: number) => [`p${at}`, { $ref: `#/$defs/d${at}` }]
  const definition = (at: number) => [`d${at}`, { type: 'string', enum: ['a', 'b'] }]
  return {
    type: 'object',
    properties: Object.fromEntries(list(items, property)),
    additionalProperties: false,
    $defs: Object.fromEntries(list(items, definition)),
  }
}

function schemaWithAlternatives(items: number): JsonSchema {
  const anyOf = list(items, (at) => ({ type: 'string', const: `v${at}` }))
  const allOf = list(items, (at) => ({ type: 'object', required: [`q${at}`] }))
  return {
    type: 'object',
    properties: { one: { anyOf }, other: { enum: list(items, String) }, all: { allOf } },
    required: ['one'],
    additionalProperties: false,
  }
}

function deepSchema(depth: number): JsonSchema {
  let schema: JsonSchema = { type: 'string' }
  for (let level = 0; level < depth; level += 1) schema = { type: 'object', properties: { inner: schema } }
  return schema
}
