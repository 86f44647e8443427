import { expect, test } from 'bun:test'
import { expandInput, inputItemsOf, referencedItemIds, resolveReferences } from './input-items.ts'

const EARLIER = [
  { type: 'message', role: 'user', content: 'one' },
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'AA' },
  { type: 'message', id: 'msg_1', role: 'assistant', content: [] },
]
const userMessage = (content: string) => ({ type: 'message', role: 'user', content })

test('a text becomes one user message', () => {
  expect(inputItemsOf({ input: 'hi' })).toEqual([userMessage('hi')])
  expect(inputItemsOf({ input: EARLIER })).toBe(EARLIER)
  for (const body of [null, 7, {}, { input: '' }, { input: 7 }]) expect(inputItemsOf(body)).toEqual([])
})

test('puts earlier items before the new input, and keeps the previous id for the reply', () => {
  const body = { model: 'm', previous_response_id: 'resp_1', input: 'two' }
  expect(expandInput(body, EARLIER)).toEqual({ ...body, input: [...EARLIER, userMessage('two')] })
  expect(expandInput({ model: 'm' }, EARLIER)).toEqual({ model: 'm', input: EARLIER })
  expect(expandInput({ input: [userMessage('x')] }, [])).toEqual({ input: [userMessage('x')] })
})

test('leaves invalid input to validation', () => {
  expect(expandInput({ input: 7 }, EARLIER)).toEqual({ input: 7 })
  expect(expandInput('x', EARLIER)).toBe('x')
})

test('removes reasoning without content, and the ids that link to it', () => {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' }
  const kept = { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'BB' }
  const { id: _id, ...bare } = call
  const earlier = [{ type: 'reasoning', id: 'rs_1', summary: [] }, call, kept]
  expect(expandInput({ input: [] }, earlier)).toEqual({ input: [bare, kept] })
})

test('replaces references by stored items, and keeps unknown ones', () => {
  const body = { input: [{ type: 'item_reference', id: 'a' }, { id: 'b' }, userMessage('x')] }
  expect(referencedItemIds(body)).toEqual(['a', 'b'])
  const stored = new Map([['a', userMessage('stored')]])
  expect(resolveReferences(body, stored)).toEqual({
    input: [userMessage('stored'), { id: 'b' }, userMessage('x')],
  })
  expect(resolveReferences({ input: 'x' }, stored)).toEqual({ input: 'x' })
})

test('removes references to reasoning without content, and the ids that link to it', () => {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' }
  const { id: _id, ...bare } = call
  const body = { input: [{ type: 'item_reference', id: 'rs_1' }, call, { type: 'item_reference', id: 'x' }] }
  const stored = new Map([['rs_1', { type: 'reasoning', id: 'rs_1', summary: [] }]])
  expect(resolveReferences(body, stored)).toEqual({ input: [bare, { type: 'item_reference', id: 'x' }] })
})
