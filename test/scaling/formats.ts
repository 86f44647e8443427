import type { Conversation } from '../../src/conversation/conversation.ts'
import { GatewayError } from '../../src/errors/gateway-error.ts'
import { PROTOCOLS } from '../../src/protocols/index.ts'
import type { Protocol, RequestAddress } from '../../src/protocols/protocol.ts'
import type { Face } from '../../src/sandbox/faces/face.ts'
import { FACES } from '../../src/sandbox/faces/index.ts'
import type { Format } from '../../src/vocabulary/supply.ts'
import { PLAIN_CONVERSATION } from '../support/plain-conversation.ts'
import { supplyContext } from '../support/translation-contexts.ts'
import { list } from './conversations.ts'

type Body = Readonly<Record<string, unknown>>

/** What only this format lets a client make long: members of a body that is otherwise plain. */
type OwnLists = Readonly<Record<string, (items: number) => Body>>

/** A wire format and what there is to grow in it. */
export interface ScaledFormat {
  readonly protocol: Protocol
  readonly address: RequestAddress
  readonly countAddress: RequestAddress
  readonly face: Face
  readonly facePath: string
  readonly countPath: string | null
  readonly own: OwnLists
}

interface FormatLine extends Partial<Pick<ScaledFormat, 'address' | 'countAddress' | 'countPath'>> {
  readonly facePath: string
  readonly own: OwnLists
}

const unknownFields = (items: number): Body =>
  Object.fromEntries(list(items, (at) => [`unknown_${at}`, { at, words: 'some' }]))

/** One line for each format: where its requests go, and the lists that no other has. */
const LINES: Readonly<Partial<Record<Format, FormatLine>>> = {
  'chat-completion': {
    facePath: '/v1/chat/completions',
    own: {
      'unknown fields': unknownFields,
      'biased tokens': (items) => ({ logit_bias: Object.fromEntries(list(items, (at) => [at, 1])) }),
      functions: (items) => ({ functions: list(items, (at) => ({ name: `f${at}`, parameters: {} })) }),
      'function rounds': (items) => ({
        messages: list(items, () => [
          { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
          { role: 'function', name: 'f', content: 'r' },
        ]).flat(),
      }),
      'named messages': (items) => ({
        messages: list(items, (at) => ({ role: 'user', name: `n${at}`, content: 'hi' })),
      }),
      'unknown parts': (items) => ({
        messages: [{ role: 'user', content: list(items, (at) => ({ type: 'other', at })) }],
      }),
      'wrong last message': (items) => ({
        messages: [...list(items, () => ({ role: 'user', content: 'hi' })), { role: 'user', content: 1 }],
      }),
      'wrong last part': (items) => ({
        messages: [
          { role: 'user', content: [...list(items, () => ({ type: 'text', text: 'hi' })), { type: 'text' }] },
        ],
      }),
    },
  },
  responses: {
    facePath: '/v1/responses',
    countPath: '/v1/responses/input_tokens',
    own: {
      'unknown fields': unknownFields,
      'unknown items': (items) => ({ input: list(items, (at) => ({ type: 'other', at })) }),
      'reasoning items': (items) => ({
        input: list(items, (at) => ({
          type: 'reasoning',
          id: `rs_${at}`,
          summary: [{ type: 'summary_text', text: 't' }],
        })),
      }),
      'reasoning summaries': (items) => ({
        input: [{ type: 'reasoning', summary: list(items, () => ({ type: 'summary_text', text: 't' })) }],
      }),
      'references to items': (items) => ({
        input: list(items, (at) => ({ type: 'item_reference', id: `msg_${at}` })),
      }),
      'tools of a group': (items) => ({
        tools: [
          {
            type: 'namespace',
            name: 'g',
            tools: list(items, (at) => ({ type: 'function', name: `f${at}` })),
          },
        ],
      }),
      'included fields': (items) => ({ include: list(items, (at) => `field.${at}`) }),
      'wrong last item': (items) => ({
        input: [...list(items, () => ({ role: 'user', content: 'hi' })), { role: 'user', content: 1 }],
      }),
    },
  },
  messages: {
    facePath: '/v1/messages',
    countPath: '/v1/messages/count_tokens',
    own: {
      'unknown fields': unknownFields,
      'unknown blocks': (items) => ({
        messages: [{ role: 'user', content: list(items, (at) => ({ type: 'other', at })) }],
      }),
      'messages of one role': (items) => ({
        messages: list(items, (at) => ({ role: 'user', content: `part ${at}` })),
      }),
      'citations of a text': (items) => ({
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'text',
                text: 'a',
                citations: list(items, () => ({ type: 'char_location', cited_text: 'a' })),
              },
            ],
          },
        ],
      }),
      'nested schema of an answer': (items) => ({
        output_config: { format: { type: 'json_schema', schema: nest(Math.min(items / 10, 400)) } },
      }),
      'wrong last message': (items) => ({
        messages: [...list(items, () => ({ role: 'user', content: 'hi' })), { role: 'user', content: 1 }],
      }),
    },
  },
  'content-generation': {
    address: { rest: 'm:generateContent', query: new URLSearchParams() },
    countAddress: { rest: 'm:countTokens', query: new URLSearchParams() },
    facePath: '/v1beta/models/m:generateContent',
    countPath: '/v1beta/models/m:countTokens',
    own: {
      'unknown fields': unknownFields,
      'unknown parts': (items) => ({
        contents: [{ role: 'user', parts: list(items, (at) => ({ other: at })) }],
      }),
      'contents of one role': (items) => ({
        contents: list(items, (at) => ({ role: 'user', parts: [{ text: `part ${at}` }] })),
      }),
      'calls without ids': (items) => ({
        contents: [
          { role: 'user', parts: [{ text: 'hi' }] },
          { role: 'model', parts: list(items, () => ({ functionCall: { name: 'f', args: {} } })) },
          { role: 'user', parts: list(items, () => ({ functionResponse: { name: 'f', response: {} } })) },
        ],
      }),
      'calls of other names': (items) => ({
        contents: [
          { role: 'user', parts: [{ text: 'hi' }] },
          { role: 'model', parts: list(items, (at) => ({ functionCall: { name: `f${at}`, args: {} } })) },
          {
            role: 'user',
            parts: list(items, (at) => ({ functionResponse: { name: `f${items - at}`, response: {} } })),
          },
        ],
      }),
      'tool entries': (items) => ({
        tools: list(items, (at) => ({ functionDeclarations: [{ name: `f${at}` }] })),
      }),
      'safety settings': (items) => ({ safetySettings: list(items, (at) => ({ category: `c${at}` })) }),
      'wrong last content': (items) => ({
        contents: [
          ...list(items, () => ({ role: 'user', parts: [{ text: 'hi' }] })),
          { role: 'user', parts: 1 },
        ],
      }),
    },
  },
}

function nest(depth: number): Body {
  let schema: Body = { type: 'string' }
  for (let level = 0; level < depth; level += 1) schema = { type: 'object', properties: { inner: schema } }
  return schema
}

const NOWHERE: RequestAddress = { rest: '', query: new URLSearchParams() }

export const FORMATS: readonly ScaledFormat[] = PROTOCOLS.map((protocol) => {
  const line = LINES[protocol.name]
  const face = FACES.find(({ name }) => name === protocol.name)
  if (line === undefined || face === undefined) throw new Error(`${protocol.name} has no lists to grow`)
  return { protocol, face, address: NOWHERE, countAddress: NOWHERE, countPath: null, ...line }
})

/** A conversation as a client of this format writes it. */
export function writeRequest({ protocol }: ScaledFormat, changes: Partial<Conversation>): Body {
  const context = supplyContext(
    { stop: true, cacheBreakpoints: true, inlineSystem: true },
    protocol.supplier.traits,
  )
  return {
    model: 'm',
    ...protocol.supplier.encodeRequest({ ...PLAIN_CONVERSATION, ...changes }, context).body,
  }
}

/** Whether a client of this format can say what the conversation holds at all. */
export function canWrite(format: ScaledFormat, changes: Partial<Conversation>): boolean {
  try {
    writeRequest(format, changes)
    return true
  } catch (error) {
    if (error instanceof GatewayError) return false
    throw error
  }
}
