import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { arbitraryConversation } from '../../../../../test/support/arbitrary-conversation.ts'
import { withoutProofs } from './losses.ts'

test('removes every signature and nothing else', () => {
  fc.assert(
    fc.property(
      arbitraryConversation({ proofs: { origin: 'messages', model: 'm', route: '' } }),
      (conversation) => {
        const parts = conversation.turns.flatMap((turn) => turn.parts)
        const left = withoutProofs(conversation).turns.flatMap((turn) => turn.parts)
        expect(left.filter((part) => 'proof' in part && part.proof !== null)).toEqual([])
        const isKept = (part: (typeof parts)[number]) => part.type !== 'thinking' || part.proof === null
        expect(left.map(({ type }) => type)).toEqual(parts.filter(isKept).map(({ type }) => type))
      },
    ),
  )
})
