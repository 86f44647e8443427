import { expect, test } from 'bun:test'
import { ConversationAffinity } from './conversation-affinity.ts'
import { USUAL_ROUTING } from './routing-settings.ts'

const PIN = { supplierId: 's', credentialId: 'c' }
const HOUR_MS = 3_600_000

test('a conversation is remembered for an hour after its last answer', () => {
  const affinity = new ConversationAffinity(USUAL_ROUTING)
  affinity.remember('one', PIN, 0)
  affinity.remember('one', PIN, 1_000)
  expect(affinity.recall('one', HOUR_MS + 999)).toMatchObject(PIN)
  expect(affinity.recall('one', HOUR_MS + 1_000)).toBeNull()
  expect(affinity.recall('other', 0)).toBeNull()
})

test('the least recently answered make room', () => {
  const affinity = new ConversationAffinity({ ...USUAL_ROUTING, mostConversations: 2 })
  affinity.remember('one', PIN, 0)
  affinity.remember('two', PIN, 1)
  affinity.remember('one', PIN, 2)
  affinity.remember('three', PIN, 3)
  expect(affinity.size).toBe(2)
  expect(affinity.recall('two', 3)).toBeNull()
  expect(affinity.recall('one', 3)).toMatchObject(PIN)
})

test('those whose time is over are dropped when others come', () => {
  const affinity = new ConversationAffinity(USUAL_ROUTING)
  for (let index = 0; index < 10; index += 1) affinity.remember(`old-${index}`, PIN, 0)
  affinity.remember('new', PIN, HOUR_MS)
  expect(affinity.size).toBe(1)
})
