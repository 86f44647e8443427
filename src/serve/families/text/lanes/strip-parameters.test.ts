import { describe, expect, test } from 'bun:test'
import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import { PROTOCOLS } from '../../../../protocols/index.ts'
import type { Protocol } from '../../../../protocols/protocol.ts'
import { refusedParameter } from './strip-parameters.ts'

function refused(protocol: Protocol | undefined, refusedParam?: string): string | null {
  if (protocol === undefined) throw new Error('no such format')
  const failure: SupplierFailure = {
    kind: 'input',
    status: 400,
    message: 'no',
    param: null,
    retryAfterSeconds: null,
  }
  return refusedParameter(refusedParam === undefined ? failure : { ...failure, refusedParam }, protocol)
}

const protocolNamed = (name: string) => PROTOCOLS.find((protocol) => protocol.name === name)

/** What is asked for, how long the answer may be and what form it has. */
const MATTER = [
  'model',
  'messages',
  'input',
  'contents',
  'system',
  'instructions',
  'systemInstruction',
  'tools',
  'tool_choice',
  'toolConfig',
  'stream',
  'max_output_tokens',
  'generationConfig',
  'generationConfig.maxOutputTokens',
  'generationConfig.responseSchema',
  'generationConfig.stopSequences',
  'stop',
  'stop_sequences',
  'n',
  'response_format',
  'text',
  'text.format',
  'output_config.format',
  'logprobs',
  'web_search_options',
]

for (const protocol of PROTOCOLS) {
  describe(protocol.name, () => {
    test.each(MATTER)('%s is never left out', (name) => expect(refused(protocol, name)).toBeNull())

    test('an error that names no parameter is passed on', () => expect(refused(protocol)).toBeNull())

    test('a parameter with two names is renamed, never left out', () => {
      const { strippable, respelled } = protocol.supplier.parameters
      for (const [name, other] of Object.entries(respelled)) {
        expect(respelled[other]).toBe(name)
        expect(strippable.has(name)).toBe(false)
      }
    })
  })
}

test('a parameter is recognized in any spelling', () => {
  expect(refused(protocolNamed('chat-completion'), 'presencePenalty')).toBe('presence_penalty')
  expect(refused(protocolNamed('chat-completion'), 'max_tokens')).toBe('max_tokens')
  expect(refused(protocolNamed('content-generation'), 'generation_config.top_k')).toBe(
    'generationConfig.topK',
  )
})

test('max_tokens of the messages format is never left out', () => {
  expect(refused(protocolNamed('messages'), 'max_tokens')).toBeNull()
})
