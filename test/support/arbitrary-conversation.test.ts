import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { arbitraryConversation } from './arbitrary-conversation.ts'
import { departures } from './normal-form.ts'

test('generated conversations are in normal form', () => {
  fc.assert(
    fc.property(arbitraryConversation(), (conversation) => expect(departures(conversation)).toEqual([])),
    { numRuns: 500, seed: 1 },
  )
})

test('excluded parts do not occur', () => {
  const without = ['thinking', 'images', 'result-images', 'cache-hints', 'custom-tools'] as const
  fc.assert(
    fc.property(arbitraryConversation({ without }), (conversation) => {
      const text = JSON.stringify(conversation)
      for (const mark of ['"thinking"', '"image"', '"ttl"', '"custom"']) expect(text).not.toContain(mark)
    }),
    { numRuns: 200, seed: 2 },
  )
})
