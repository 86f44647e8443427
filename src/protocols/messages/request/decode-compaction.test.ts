import { describe, expect, test } from 'bun:test'
import { decodeTurns } from './decode-turns.ts'
import { readRequest } from './read-request.ts'

const BLOCK = {
  type: 'compaction',
  content: 'The cat is called Tom.',
  encrypted_content: 'xyz',
  signature: 's',
}

function partsOf(block: object) {
  const messages = [{ role: 'assistant' as const, content: [block as never] }]
  return decodeTurns({ messages }).turns.flatMap(({ parts }) => parts)
}

test('a compaction block keeps its signature, and its text for other formats', () => {
  expect(partsOf(BLOCK)).toEqual([
    { type: 'opaque', format: 'messages', kind: 'compaction', value: BLOCK, text: 'The cat is called Tom.' },
  ])
})

test.each([null, undefined])('a failed compaction, with content %p, means nothing', (content) => {
  expect(partsOf({ ...BLOCK, content })).toEqual([])
})

describe('what a client wants the supplier to compact', () => {
  function wishOf(fields: object) {
    const body = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }], ...fields }
    return readRequest(body, JSON.stringify(body)).ownCompaction
  }
  const editing = (edit: object) => ({ context_management: { edits: [edit] } })

  test.each([
    [{}, null],
    [editing({ type: 'clear_tool_uses_20250919' }), null],
    [editing({ type: 'compact_20260112' }), { param: 'context_management', fromTokens: 150_000 }],
    [
      editing({ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 60_000 } }),
      { param: 'context_management', fromTokens: 60_000 },
    ],
    [{ compaction: { type: 'summarize' } }, { param: 'compaction', fromTokens: 0 }],
  ])('%j', (fields, wish) => expect(wishOf(fields)).toEqual(wish as never))
})
