import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../errors/gateway-error.ts'
import type { Format } from '../vocabulary/supply.ts'
import { protocolOf } from './index.ts'
import {
  MAX_BIASED_TOKENS,
  MAX_MEDIA_PARTS,
  MAX_MESSAGES,
  MAX_METADATA_PAIRS,
  MAX_STOP_CHARACTERS,
  MAX_STOP_SEQUENCES,
  MAX_TOOLS,
} from './request-limits.ts'

const ADDRESS = { rest: 'm:generateContent', query: new URLSearchParams() }
const times = (count: number, item: unknown) => Array.from({ length: count }, () => item)
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, 'v']))

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
const RESPONSES = { model: 'm', input: 'hi' }
const MESSAGES = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }
const GENERATION = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

const chatTool = { type: 'function', function: { name: 'f' } }
const responsesTool = { type: 'function', name: 'f' }
const messagesTool = { name: 'f', input_schema: { type: 'object' } }
const chatPicture = { type: 'image_url', image_url: { url: 'https://e.example/a.png' } }
const picture = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }

interface Limit {
  readonly format: Format
  readonly param: string
  readonly most: number
  body(count: number): object
}

const LIMITS: readonly Limit[] = [
  {
    format: 'chat-completion',
    param: 'messages',
    most: MAX_MESSAGES,
    body: (n) => ({ ...CHAT, messages: times(n, CHAT.messages[0]) }),
  },
  {
    format: 'chat-completion',
    param: 'tools',
    most: MAX_TOOLS,
    body: (n) => ({ ...CHAT, tools: times(n, chatTool) }),
  },
  {
    format: 'chat-completion',
    param: 'functions',
    most: MAX_TOOLS,
    body: (n) => ({ ...CHAT, functions: times(n, { name: 'f' }) }),
  },
  {
    format: 'chat-completion',
    param: 'logit_bias',
    most: MAX_BIASED_TOKENS,
    body: (n) => ({ ...CHAT, logit_bias: Object.fromEntries(times(n, 1).map((bias, at) => [at, bias])) }),
  },
  { format: 'chat-completion', param: 'stop', most: 4, body: (n) => ({ ...CHAT, stop: times(n, 'x') }) },
  {
    format: 'chat-completion',
    param: 'stop',
    most: MAX_STOP_CHARACTERS,
    body: (n) => ({ ...CHAT, stop: 'x'.repeat(n) }),
  },
  {
    format: 'chat-completion',
    param: 'metadata',
    most: MAX_METADATA_PAIRS,
    body: (n) => ({ ...CHAT, metadata: members(n) }),
  },
  {
    format: 'chat-completion',
    param: 'messages',
    most: MAX_MEDIA_PARTS,
    body: (n) => ({ ...CHAT, messages: [{ role: 'user', content: times(n, chatPicture) }] }),
  },
  {
    format: 'responses',
    param: 'input',
    most: MAX_MESSAGES,
    body: (n) => ({ ...RESPONSES, input: times(n, { role: 'user', content: 'hi' }) }),
  },
  {
    format: 'responses',
    param: 'tools',
    most: MAX_TOOLS,
    body: (n) => ({ ...RESPONSES, tools: times(n, responsesTool) }),
  },
  {
    format: 'responses',
    param: 'metadata',
    most: MAX_METADATA_PAIRS,
    body: (n) => ({ ...RESPONSES, metadata: members(n) }),
  },
  {
    format: 'messages',
    param: 'messages',
    most: MAX_MESSAGES,
    body: (n) => ({ ...MESSAGES, messages: times(n, MESSAGES.messages[0]) }),
  },
  {
    format: 'messages',
    param: 'tools',
    most: MAX_TOOLS,
    body: (n) => ({ ...MESSAGES, tools: times(n, messagesTool) }),
  },
  {
    format: 'messages',
    param: 'stop_sequences',
    most: MAX_STOP_SEQUENCES,
    body: (n) => ({ ...MESSAGES, stop_sequences: times(n, 'x') }),
  },
  {
    format: 'messages',
    param: 'stop_sequences[0]',
    most: MAX_STOP_CHARACTERS,
    body: (n) => ({ ...MESSAGES, stop_sequences: ['x'.repeat(n)] }),
  },
  {
    format: 'content-generation',
    param: 'contents',
    most: MAX_MESSAGES,
    body: (n) => ({ contents: times(n, GENERATION.contents[0]) }),
  },
  {
    format: 'content-generation',
    param: 'generationConfig.stopSequences',
    most: 5,
    body: (n) => ({ ...GENERATION, generationConfig: { stopSequences: times(n, 'x') } }),
  },
  {
    format: 'content-generation',
    param: 'contents',
    most: MAX_MEDIA_PARTS,
    body: (n) => ({ contents: [{ role: 'user', parts: times(n, picture) }] }),
  },
]

function read(format: Format, body: object): unknown {
  return protocolOf(format)?.readRequest(body, JSON.stringify(body), ADDRESS)
}

function refusalOf(action: () => unknown): unknown {
  try {
    return action()
  } catch (error) {
    return error
  }
}

describe.each(LIMITS.map((limit) => [`${limit.format}: ${limit.param}, ${limit.most}`, limit] as const))(
  '%s',
  (_, { format, param, most, body }) => {
    test('accepts as many as the limit', () => {
      expect(read(format, body(most))).toBeObject()
    })

    test('refuses one more with 400 and names the parameter', () => {
      const refusal = refusalOf(() => read(format, body(most + 1)))
      expect(refusal).toBeInstanceOf(GatewayError)
      expect(refusal).toMatchObject({ code: 'invalid_request', param })
      expect(String(refusal)).toContain(String(most))
    })
  },
)

test('refuses an oversized logit_bias without listing its members', () => {
  const names = Array.from({ length: 10 }, (_, at) => [`${'9'.repeat(20_000)}${at}`, 1])
  const body = { ...CHAT, logit_bias: Object.fromEntries(names) }
  const read = () => protocolOf('chat-completion')?.readRequest(body, JSON.stringify(body), ADDRESS)
  expect(read).toThrow('logit_bias may have at most 4096 members')
})
