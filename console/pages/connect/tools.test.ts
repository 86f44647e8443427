import { expect, test } from 'bun:test'
import { listTools } from './tools.ts'

const QUESTION = { baseUrl: 'https://models.example.com', key: 'sk-key', model: 'acme/m 1' }

test('every program names the address and the key', () => {
  for (const { id, blocks } of listTools(QUESTION)) {
    const code = blocks.map((block) => block.code).join('\n')
    expect(`${id}: ${code}`).toContain('https://models.example.com')
    expect(`${id}: ${code}`).toContain('sk-key')
  }
})

test('no program is there twice, and each says what it speaks', () => {
  const ids = listTools(QUESTION).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(listTools(QUESTION).find(({ id }) => id === 'claude-code')?.format).toBe('messages')
  expect(listTools(QUESTION).find(({ id }) => id === 'codex')?.format).toBe('responses')
})

test('a model with a space stays one word of a command', () => {
  const aider = listTools(QUESTION).find(({ id }) => id === 'aider')
  expect(aider?.blocks[0]?.code).toContain("aider --model 'openai/acme/m 1'")
})
