import { expect, test } from 'bun:test'
import { readRequest } from './request/read-request.ts'
import { ChunkFolder } from './stream/fold-chunks.ts'

const MESSAGES = '"messages":[{"role":"user","content":"Hi"}]'

test.each([
  `{"model":"m",${MESSAGES},"store":true,"metadata":{"a":"b"}}`,
  `{"metadata":{"a":"b"}, "store" : true,"model":"m",${MESSAGES}}`,
  `{"model":"m","store":true,${MESSAGES}}`,
])('%s asks suppliers to store nothing', (text) => {
  const request = readRequest(JSON.parse(text), text)
  expect(JSON.parse(request.relayBody('m').join(''))).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    store: false,
  })
  expect(request.client.decode()).toMatchObject({ metadata: null, extras: {} })
  expect(request.storing?.messages).toHaveLength(1)
})

test.each(['', ',"store":false', ',"store":null'])('a request with %j stores nothing', (store) => {
  const text = `{"model":"m",${MESSAGES}${store}}`
  const request = readRequest(JSON.parse(text), text)
  expect(request.storing).toBeUndefined()
  expect(request.relayBody('m').join('')).toBe(text)
})

test('chunks are folded into one completion, however they are cut', () => {
  const call = (more: object) => ({
    index: 0,
    delta: { tool_calls: [{ index: 0, ...more }] },
    finish_reason: null,
  })
  const chunks = [
    {
      id: 'c',
      model: 'm',
      choices: [{ index: 0, delta: { role: 'assistant', content: null } }],
      usage: null,
    },
    { id: 'c', choices: [call({ id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } })] },
    { id: 'c', choices: [call({ function: { arguments: '{"a"' } })] },
    { id: 'c', choices: [{ index: 1, delta: { content: 'He', reasoning_content: 'hm' } }] },
    { id: 'c', choices: [call({ function: { arguments: ':1}' } })] },
    { id: 'c', choices: [{ index: 1, delta: { content: 'llo' }, logprobs: { content: [{ token: 'a' }] } }] },
    {
      id: 'c',
      choices: [{ index: 1, delta: {}, logprobs: { content: [{ token: 'b' }] }, finish_reason: 'stop' }],
    },
    { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { id: 'c', choices: [], usage: { total_tokens: 5 } },
  ]
  const text = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
  const folder = new ChunkFolder()
  expect(folder.completion).toBeNull()
  for (let start = 0; start < text.length; start += 7) folder.push(Buffer.from(text.slice(start, start + 7)))
  folder.end()
  expect(folder.completion).toEqual({
    id: 'c',
    model: 'm',
    object: 'chat.completion',
    usage: { total_tokens: 5 },
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        logprobs: null,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
      },
      {
        index: 1,
        finish_reason: 'stop',
        logprobs: { content: [{ token: 'a' }, { token: 'b' }] },
        message: { role: 'assistant', content: 'Hello', refusal: null, reasoning_content: 'hm' },
      },
    ],
  })
})
