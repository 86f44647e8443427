import { describe, expect, test } from 'bun:test'
import { decodeUsage as decodeGeneration } from './content-generation/reply/usage.ts'
import { decodeUsage as decodeMessages } from './messages/reply/usage.ts'
import { decodeUsage as decodeResponses } from './responses/reply/usage.ts'
import { decodeUsage as decodeChat } from './token-details.ts'

describe('ignores an invalid usage report', () => {
  for (const bad of ['12', -1, 1.5, 1e30, true, {}]) {
    test(JSON.stringify(bad), () => {
      expect(decodeChat({ prompt_tokens: bad, completion_tokens: 5 })).toBeNull()
      expect(decodeChat({ prompt_tokens: 5, completion_tokens: bad })).toBeNull()
      expect(decodeResponses({ input_tokens: 5, output_tokens: bad })).toBeNull()
      expect(decodeMessages({ input_tokens: bad, output_tokens: 5 })).toBeNull()
      expect(decodeGeneration({ promptTokenCount: 5, candidatesTokenCount: bad })).toBeNull()
    })
  }

  test('ignores an empty usage report', () => {
    expect(decodeChat({ prompt_tokens: null, completion_tokens: null })).toBeNull()
    expect(decodeResponses({ input_tokens: null, output_tokens: null })).toBeNull()
    expect(decodeMessages({ input_tokens: null, output_tokens: null })).toBeNull()
    expect(decodeGeneration({ promptTokenCount: null, candidatesTokenCount: null })).toBeNull()
  })
})
