import { expect, test } from 'bun:test'
import { protocolOf } from '../../../../protocols/index.ts'
import { aSupplier } from '../../../../vocabulary/testing/specimens.ts'
import { fitBetas } from './fit-betas.ts'

function fit(body: object, type: 'anthropic' | 'bedrock' | 'vertex', headers: Record<string, string>) {
  const protocol = protocolOf('messages')
  if (protocol === undefined) throw new Error('no messages')
  const sender = { headers: new Headers(headers), protocol, supplier: aSupplier({ type, options: {} }) }
  const { body: text, ...rest } = fitBetas(JSON.stringify(body), sender)
  return { body: JSON.parse(text), ...rest }
}

const PROMPT = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }
// What the newest agent sends.
const ASKED = [
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'per-turn-control-2026-07-01',
  'advanced-tool-use-2025-11-20',
  'compact-2026-09-04',
].join(',')
const BODY = {
  ...PROMPT,
  messages: [{ role: 'user', content: 'Hi', output_config: { effort: 'low' } }],
  tools: [{ name: 'a', input_schema: {}, defer_loading: true }],
  context_management: { edits: [] },
  compaction: { type: 'auto' },
}

test('the vendor gets everything', () => {
  expect(fit(BODY, 'anthropic', { 'anthropic-beta': ASKED })).toEqual({
    body: BODY,
    betas: ASKED.split(','),
    dropped: [],
  })
})

test.each(['bedrock', 'vertex'] as const)(
  '%s gets both halves of what it knows, and of nothing else',
  (type) => {
    const { body, betas, dropped } = fit(BODY, type, { 'anthropic-beta': ASKED })
    expect(betas).toEqual(['interleaved-thinking-2025-05-14', 'context-management-2025-06-27'])
    expect(body).toEqual({
      ...PROMPT,
      tools: [{ name: 'a', input_schema: {} }],
      context_management: { edits: [] },
    })
    expect(dropped).toEqual([
      'per-turn-control-2026-07-01',
      'advanced-tool-use-2025-11-20',
      'compact-2026-09-04',
      'compaction',
      'tools.defer_loading',
      'messages.output_config',
    ])
  },
)

test('a strict client is refused instead', () => {
  const headers = { 'anthropic-beta': ASKED, 'x-gateway-strict': 'true' }
  expect(() => fit(BODY, 'bedrock', headers)).toThrow('cannot take: per-turn-control-2026-07-01')
})

test('names are asked for once each, and blanks are none', () => {
  expect(fit(PROMPT, 'anthropic', { 'anthropic-beta': ' a-1, ,a-1,b-2 ' }).betas).toEqual(['a-1', 'b-2'])
  expect(fit(PROMPT, 'anthropic', {}).betas).toEqual([])
})
