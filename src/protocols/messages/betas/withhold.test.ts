import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { BODY_HALVES, featureOf, WITHOUT_BODY } from './pairs.ts'
import { MESSAGES_BETAS } from './withhold.ts'

const BASE = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }

function withhold(body: object, withheld: readonly string[], sent: readonly string[] = []) {
  const { text, dropped } = MESSAGES_BETAS.withhold(JSON.stringify(body), { sent, withheld })
  return { body: JSON.parse(text), dropped }
}

describe('a withheld beta takes its half of the body along', () => {
  test.each([
    ['context-management-2025-06-27', { context_management: { edits: [] } }, 'context_management'],
    ['compact-2026-09-04', { compaction: { type: 'auto' } }, 'compaction'],
    [
      'compact-2026-01-12',
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
      'context_management',
    ],
    ['fast-mode-2026-02-01', { speed: 'fast' }, 'speed'],
    ['mcp-client-2025-11-20', { mcp_servers: [{ type: 'url' }] }, 'mcp_servers'],
    ['server-side-fallback-2026-07-01', { fallbacks: 'default' }, 'fallbacks'],
    ['message-threads-2026-08-12', { thread: { type: 'create' } }, 'thread'],
  ])('%s', (beta, half, name) => {
    expect(withhold({ ...BASE, ...half }, [beta])).toEqual({ body: BASE, dropped: [beta, name] })
  })

  test('within a member', () => {
    const body = {
      ...BASE,
      thinking: { type: 'adaptive', display: 'updates', block_binding: {} },
      output_config: { effort: 'high', task_budget: { total: 1 } },
      container: { id: 'c', skills: [] },
    }
    const betas = [
      'thinking-display-updates-2026-08-18',
      'thinking-binding-controls-2026-08-01',
      'task-budgets-2026-03-13',
      'skills-2025-10-02',
    ]
    expect(withhold(body, betas).body).toEqual({
      ...BASE,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
      container: { id: 'c' },
    })
    const shown = { ...BASE, thinking: { type: 'adaptive', display: 'omitted' } }
    expect(withhold(shown, betas).body).toEqual(shown)
  })

  test('within tools', () => {
    const tools = [
      { name: 'a', input_schema: {}, defer_loading: true, input_examples: [{}], strict: true },
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
      { type: 'advisor_20260301', name: 'advisor', model: 'x' },
    ]
    const { body, dropped } = withhold({ ...BASE, tools }, [
      'advanced-tool-use-2025-11-20',
      'advisor-tool-2026-03-01',
    ])
    expect(body.tools).toEqual([{ name: 'a', input_schema: {}, strict: true }])
    expect(dropped).toContain('tools.defer_loading')
    expect(dropped).toContain('tools.advisor_20260301')
  })

  test('within messages, and messages that consisted of nothing else', () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'system', content: [{ type: 'tool_addition', tool: {} }], clear_at: 'never' },
      { role: 'system', content: 'Be short.', output_config: { effort: 'low' }, clear_at: 'never' },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'tool_reference' }] }],
      },
    ]
    const { body } = withhold({ ...BASE, messages }, [
      'mid-conversation-tool-changes-2026-07-01',
      'per-turn-control-2026-07-01',
      'mid-conversation-system-clear-at-2026-08-21',
      'mid-conversation-system-2026-04-07',
      'tool-search-tool-2025-10-19',
    ])
    expect(body.messages).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'Be short.' },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [] }] },
    ])
  })

  test('within cache marks', () => {
    const mark = { type: 'ephemeral', ttl: '1h' }
    const system = [{ type: 'text', text: 'x', cache_control: { ...mark, scope: 'global' } }]
    const { body } = withhold({ ...BASE, system }, ['prompt-caching-scope-2026-01-05'])
    expect(body.system).toEqual([{ type: 'text', text: 'x', cache_control: mark }])
  })
})

test('what two features share stays as long as one of them is asked for', () => {
  const body = { ...BASE, context_management: { edits: [] }, tools: [{ name: 'a', defer_loading: true }] }
  const sent = ['context-management-2025-06-27', 'tool-search-tool-2025-10-19']
  const withheld = ['context-management-2027-01-01', 'advanced-tool-use-2025-11-20']
  expect(withhold(body, withheld, sent).body).toEqual(body)
})

test('all other text stays as it was written', () => {
  const text =
    '{ "model":"m", "system":[{"type":"text","text":"\\u0041"}],\n"seed":12345678901234567890,"speed":"fast" ,"max_tokens":1.0,"messages":[]}'
  const split = { sent: [], withheld: ['fast-mode-2026-02-01'] }
  const { text: fitted } = MESSAGES_BETAS.withhold(text, split)
  expect(fitted).toContain('"system":[{"type":"text","text":"\\u0041"}]')
  expect(fitted).toContain('"seed":12345678901234567890')
  expect(fitted).not.toContain('speed')
})

test('a request about something of a withheld beta is refused with a stable token', () => {
  const file = { type: 'document', source: { type: 'file', file_id: 'file_1' } }
  const ask = (content: object[]) =>
    withhold({ ...BASE, messages: [{ role: 'user', content }] }, ['files-api-2025-04-14'])
  expect(() => ask([file])).toThrow('capability_rejected: file.')
  expect(() => ask([{ type: 'tool_result', tool_use_id: 't', content: [file] }])).toThrow(GatewayError)
  // Words of the prompt and of a call say nothing.
  const input = { type: 'tool_use', id: 't', name: 'n', input: { type: 'file' } }
  expect(ask([{ type: 'text', text: '{"type":"file"}' }, input]).dropped).toEqual(['files-api-2025-04-14'])
})

describe('an unknown beta', () => {
  const body = { ...BASE, novelty: 1, context_management: {}, service_tier: 'auto' }

  test('takes unknown members along when it is withheld', () => {
    const { body: fitted, dropped } = withhold(
      body,
      ['novelty-2027-01-01'],
      ['context-management-2025-06-27'],
    )
    expect(fitted).toEqual({ ...BASE, context_management: {}, service_tier: 'auto' })
    expect(dropped).toEqual(['novelty-2027-01-01', 'novelty'])
  })

  test('that is asked for may own them', () => {
    expect(withhold(body, ['other-2027-01-01'], ['novelty-2027-01-01']).body).toEqual(body)
  })
})

test('features without another half are left out without a word', () => {
  expect(withhold(BASE, ['claude-code-20250219', 'interleaved-thinking-2025-05-14'])).toEqual({
    body: BASE,
    dropped: [],
  })
})

test('a beta goes when the only member it is for has gone', () => {
  const betas = ['claude-code-20250219', 'context-management-2025-06-27']
  expect(MESSAGES_BETAS.useful(betas, ['context_management'])).toEqual(['claude-code-20250219'])
  expect(MESSAGES_BETAS.useful(betas, ['temperature'])).toEqual(betas)
})

test('no feature stands in both tables, and none with a date', () => {
  for (const name of Object.keys(BODY_HALVES)) {
    expect(WITHOUT_BODY.has(name)).toBe(false)
    expect(featureOf(name)).toBe(name)
  }
  expect(featureOf('claude-code-20250219')).toBe('claude-code')
})
