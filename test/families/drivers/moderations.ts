import { expect } from 'bun:test'
import type { FamilyDriver } from '../family-driver.ts'

export const moderations: FamilyDriver = {
  name: 'moderations',
  kind: 'moderation',
  model: 'sandbox-moderation',
  suppliers: [
    { type: 'openai', format: 'moderations', path: '/v1' },
    { type: 'openai-compatible', format: 'moderations', path: '/v1' },
    { type: 'sandbox', format: 'moderations', path: '' },
  ],
  request: (fields) => ({
    path: '/v1/moderations',
    body: JSON.stringify({
      model: 'sandbox-moderation',
      input: ['A quiet walk.', 'A scene of violence.'],
      ...fields,
    }),
  }),
  check: async (response) => {
    const { results } = (await response.json()) as { results: { flagged: boolean }[] }
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true])
  },
  // Client and supplier always speak the same format.
  dropped: null,
}
