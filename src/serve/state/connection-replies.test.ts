import { expect, test } from 'bun:test'
import { ConnectionReplies } from './connection-replies.ts'

const turnOf = (text: string) => ({ inputItems: [text], reply: { id: text } })

/** Memory for so many bytes. */
function memoryOf(maxBytes: number) {
  const memory = { bytes: 0 }
  const replies = new ConnectionReplies((bytes) => {
    if (memory.bytes + bytes > maxBytes) throw new Error('no room')
    memory.bytes += bytes
    return () => {
      memory.bytes -= bytes
    }
  })
  return { memory, replies }
}

test('finds what was kept, for its account only', () => {
  const { replies } = memoryOf(1_000)
  const turns = [turnOf('one'), turnOf('two')]
  replies.keep({ id: 'r2', accountId: 'a', turns })
  expect(replies.find('a', 'r2')).toMatchObject({ turns, link: null })
  expect(replies.find('b', 'r2')).toBeNull()
  expect(replies.find('a', 'r1')).toBeNull()
})

test('counts a turn once, however many replies share it', () => {
  const { memory, replies } = memoryOf(1_000)
  const first = turnOf('one')
  replies.keep({ id: 'r1', accountId: 'a', turns: [first] })
  const bytes = memory.bytes
  replies.keep({ id: 'r2', accountId: 'a', turns: [first, turnOf('two')] })
  expect(memory.bytes).toBe(2 * bytes)
  replies.forget('r1')
  expect(memory.bytes).toBe(2 * bytes)
  replies.forget('r2')
  expect(memory.bytes).toBe(0)
})

test('forgets the oldest replies when there is no room', () => {
  const { memory, replies } = memoryOf(100)
  for (const id of ['r1', 'r2', 'r3', 'r4']) replies.keep({ id, accountId: 'a', turns: [turnOf(id)] })
  expect(memory.bytes).toBeLessThanOrEqual(100)
  expect(replies.find('a', 'r1')).toBeNull()
  expect(replies.find('a', 'r4')).not.toBeNull()
})

test('a reply that does not fit at all is not kept, and takes nothing', () => {
  const { memory, replies } = memoryOf(100)
  replies.keep({ id: 'r1', accountId: 'a', turns: [turnOf('one'), turnOf('x'.repeat(200))] })
  expect(replies.find('a', 'r1')).toBeNull()
  expect(memory.bytes).toBe(0)
})

test('remembers the last 64', () => {
  const { replies } = memoryOf(1_000_000)
  for (let turn = 0; turn < 70; turn += 1) {
    replies.keep({ id: `r${turn}`, accountId: 'a', turns: [turnOf(`${turn}`)] })
  }
  expect(replies.find('a', 'r5')).toBeNull()
  expect(replies.find('a', 'r6')).not.toBeNull()
})

test('gives everything back at the end', () => {
  const { memory, replies } = memoryOf(1_000)
  const first = turnOf('one')
  replies.keep({ id: 'r1', accountId: 'a', turns: [first] })
  replies.keep({ id: 'r2', accountId: 'a', turns: [first, turnOf('two')] })
  replies.clear()
  expect(memory.bytes).toBe(0)
  expect([...replies.turns]).toEqual([])
})
