import { expect, test } from 'bun:test'
import type { Traits } from '../../../vocabulary/runtime/traits.ts'
import { readRequest } from './read-request.ts'

const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }

function fits(fields: object, traits: Partial<Traits>, takesMessageNames = true): boolean | undefined {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields }
  return readRequest(body, JSON.stringify(body)).fits?.({ traits, takesMessageNames })
}

const image = (url: string) => ({
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url } },
      ],
    },
  ],
})
const history = (message: object) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, ...message },
    { role: 'tool', tool_call_id: 'c', content: 'r' },
  ],
})
const schema = { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } }
const developer = {
  messages: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ],
}

test.each<[object, Partial<Traits>]>([
  [{ n: 2 }, { maxChoices: 1 }],
  [{ stop: ['x'] }, { stop: false }],
  [{ logprobs: true }, { logprobs: false }],
  [schema, { structured: 'json' }],
  [{ response_format: { type: 'json_object' } }, { structured: 'none' }],
  [developer, { developerRole: false }],
  [image('https://x.example/a.png'), { urlImages: false }],
  [image('data:image/png;base64,AAAA'), { vision: false }],
  [history({ tool_calls: [call] }), { needsReasoningContent: true }],
])('%j does not fit a supplier with %j, but fits others', (fields, traits) => {
  expect(fits(fields, traits)).toBe(false)
  expect(fits(fields, {})).toBe(true)
})

test.each<[object, Partial<Traits>]>([
  [
    {},
    {
      maxChoices: 1,
      stop: false,
      logprobs: false,
      structured: 'none',
      developerRole: false,
      urlImages: false,
      vision: false,
      needsReasoningContent: true,
    },
  ],
  [{ stop: null }, { stop: false }],
  [{ n: 1 }, { maxChoices: 1 }],
  [{ response_format: { type: 'json_object' } }, { structured: 'json' }],
  [image('data:image/png;base64,AAAA'), { urlImages: false }],
  [history({ tool_calls: [call], reasoning_content: 'Hm' }), { needsReasoningContent: true }],
])('%j fits a supplier with %j', (fields, traits) => expect(fits(fields, traits)).toBe(true))

test('messages with names fit only suppliers that accept names', () => {
  const named = { messages: [{ role: 'user', name: 'Ann', content: 'Hi' }] }
  expect(fits(named, {}, false)).toBe(false)
  expect(fits(named, {}, true)).toBe(true)
})
