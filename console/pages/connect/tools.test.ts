import { expect, test } from 'bun:test'
import { listTools } from './tools.ts'

const QUESTION = {
  baseUrl: 'https://models.example.com',
  key: 'sk-key',
  model: 'acme/m 1',
  kind: 'text',
} as const

test('contains the address and the key for every program', () => {
  for (const { id, blocks } of listTools(QUESTION)) {
    const code = blocks.map((block) => block.code).join('\n')
    expect(`${id}: ${code}`).toContain('https://models.example.com')
    expect(`${id}: ${code}`).toContain('sk-key')
  }
})

test('lists each program once, with its format', () => {
  const ids = listTools(QUESTION).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(listTools(QUESTION).find(({ id }) => id === 'claude-code')?.format).toBe('messages')
  expect(listTools(QUESTION).find(({ id }) => id === 'codex')?.format).toBe('responses')
})

test('quotes a model with a space', () => {
  const aider = listTools(QUESTION).find(({ id }) => id === 'aider')
  expect(aider?.blocks[0]?.code).toContain("aider --model 'openai/acme/m 1'")
})

test('offers only libraries for a model that does not chat', () => {
  const tools = listTools({ ...QUESTION, kind: 'embedding' })
  expect(tools.map(({ id, group, format }) => [id, group, format])).toEqual([
    ['curl', 'Libraries', 'embeddings'],
    ['openai', 'Libraries', 'embeddings'],
  ])
  expect(tools[0]?.blocks[0]?.code).toContain('/v1/embeddings')
})
