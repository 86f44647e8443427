import { describe, expect, test } from 'bun:test'
import { CHAT_FORMATS, type Question } from './question.ts'
import { readQuestion } from './read-question.ts'
import { writeRequest } from './write-request.ts'

const CALL = { id: 'weather', name: 'weather', arguments: '{"city":"Oslo"}' }

const QUESTION: Question = {
  format: 'chat-completion',
  model: 'acme/m-1',
  system: 'Be brief.',
  turns: [
    {
      role: 'user',
      text: 'Look',
      files: [{ kind: 'image', name: 'image', type: 'image/png', data: 'AAAA' }],
    },
    { role: 'assistant', text: '', calls: [CALL] },
    { role: 'tool', results: [{ call: CALL, output: '{"sky":"rain"}' }] },
    { role: 'assistant', text: 'It rains.', calls: [] },
    { role: 'user', text: 'And now?', files: [] },
  ],
  temperature: null,
  maxTokens: 100,
  effort: 'medium',
  isStreamed: true,
  tools: [{ name: 'weather', description: 'The weather.', parameters: { type: 'object' } }],
  schema: { type: 'object' },
}

describe('readQuestion', () => {
  for (const format of CHAT_FORMATS) {
    test(`reads back what is written in ${format}`, () => {
      const asked = { ...QUESTION, format }
      const { question, lost } = readQuestion(format, asked.model, writeRequest(asked).body)
      expect(question).toEqual(asked)
      expect(lost).toEqual([])
    })
  }

  test('names what the playground cannot send', () => {
    const body = {
      model: 'm',
      top_p: 0.5,
      tools: [{ type: 'web_search' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'input_audio', input_audio: {} },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
            { type: 'text', text: 'Hi' },
          ],
        },
      ],
    }
    const { question, lost } = readQuestion('chat-completion', 'm', body)
    expect(question.turns).toEqual([{ role: 'user', text: 'Hi', files: [] }])
    expect(lost).toEqual(['input_audio', 'files by address', 'top_p', 'web_search'])
  })

  test('survives anything', () => {
    for (const body of [
      {},
      { messages: 7 },
      { messages: [null, 'x', { role: 'tool' }] },
      { contents: [{ parts: [null] }] },
      { input: [{ type: 'function_call_output' }] },
    ]) {
      for (const format of CHAT_FORMATS) expect(readQuestion(format, 'm', body).question.model).toBe('m')
    }
  })
})
