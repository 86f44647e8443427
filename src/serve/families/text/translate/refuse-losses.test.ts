import { describe, expect, test } from 'bun:test'
import type { Turn } from '../../../../conversation/conversation.ts'
import { type OpaquePart, type Part, textPart } from '../../../../conversation/part.ts'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import { protocolOf } from '../../../../protocols/index.ts'
import { refuseLosses, withTextOf } from './losses.ts'

const conversation = protocolOf('chat-completion')
  ?.readRequest({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }, '{"model":"m"}', {
    rest: '',
    query: new URLSearchParams(),
  })
  .client.decode()

function refusalOf(turns: readonly Turn[], format = 'chat-completion'): GatewayError | null {
  if (conversation === undefined) throw new Error('no protocol is named chat-completion')
  try {
    refuseLosses({ ...conversation, turns }, format)
    return null
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

const opaque = (kind: string): Part => ({ type: 'opaque', format: 'messages', kind, value: { type: kind } })
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })

describe('a request that would lose its meaning', () => {
  test('is refused when a file in it would be dropped', () => {
    for (const kind of ['document', 'file', 'input_audio', 'input_file']) {
      expect(refusalOf([user(textPart('Sum it up'), opaque(kind))])).toMatchObject({
        code: 'unsupported_parameter',
        param: kind,
      })
    }
  })

  test('is refused when nothing of it is left', () => {
    expect(refusalOf([])?.code).toBe('invalid_request')
  })
})

describe('a request is not refused', () => {
  test('when the supplier supports the format of the file', () => {
    expect(refusalOf([user(opaque('document'))], 'messages')).toBeNull()
  })

  test('when only parts of the history would be dropped', () => {
    expect(
      refusalOf([user(opaque('novelty')), { role: 'assistant', parts: [opaque('document')] }]),
    ).toBeNull()
  })
})

describe('content that consists of text', () => {
  const note: OpaquePart = { type: 'opaque', format: 'messages', kind: 'document', value: {}, text: 'a note' }
  const result = (part: OpaquePart): Part => ({
    type: 'tool-result',
    callId: 'c',
    name: null,
    kind: 'function',
    parts: [part],
    isError: false,
    cache: null,
  })
  const translate = (turns: readonly Turn[], format: string) => {
    if (conversation === undefined) throw new Error('no protocol is named chat-completion')
    return withTextOf({ ...conversation, turns }, format).turns
  }

  test('is text for suppliers of other formats, in results too', () => {
    const turns = translate([user(note, result(note))], 'chat-completion')
    expect(turns[0]?.parts[0]).toEqual(textPart('a note'))
    expect(turns[0]?.parts[1]).toMatchObject({ type: 'tool-result', parts: [textPart('a note')] })
    expect(refusalOf(turns)).toBeNull()
  })

  test('stays as it is for suppliers of its own', () => {
    const turns = [user(note)]
    expect(translate(turns, 'messages')).toBe(turns)
  })
})
