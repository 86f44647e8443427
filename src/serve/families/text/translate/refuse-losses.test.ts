import { describe, expect, test } from 'bun:test'
import type { Turn } from '../../../../conversation/conversation.ts'
import { type Part, textPart } from '../../../../conversation/part.ts'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import { protocolOf } from '../../../../protocols/index.ts'
import { refuseLosses } from './losses.ts'

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
