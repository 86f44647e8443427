import { expect } from 'bun:test'
import type { FamilyDriver } from '../family-driver.ts'

const CHAT = { type: 'openai-compatible', format: 'chat-completion', path: '/v1' } as const

export const completions: FamilyDriver = {
  name: 'completions',
  kind: 'text',
  model: 'sandbox-completion',
  capabilities: { completions: true },
  suppliers: [
    { type: 'openai-compatible', format: 'completions', path: '/v1' },
    CHAT,
    { type: 'openai', format: 'completions', path: '/v1' },
    { type: 'sandbox', format: 'completions', path: '' },
    { type: 'anthropic', format: 'messages', path: '' },
    { type: 'google', format: 'content-generation', path: '' },
  ],
  request: (fields = {}) => ({
    path: '/v1/completions',
    body: JSON.stringify({ model: 'sandbox-completion', prompt: 'say: Once upon a time', ...fields }),
  }),
  check: async (response) => {
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      object: 'text_completion',
      choices: [{ text: 'Once upon a time', index: 0, finish_reason: 'stop' }],
    })
  },
  dropped: { fields: { logprobs: 1 }, names: ['logprobs'], supplier: CHAT },
}
