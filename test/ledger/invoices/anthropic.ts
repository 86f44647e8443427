import type { Invoice } from './invoice.ts'

const OPUS = {
  documented:
    'Claude Opus 4.6: 5 in, 6.25 for 5-minute writes, 10 for 1-hour writes, 0.50 for hits, 25 out; batch half',
  price: {
    input: '5',
    output: '25',
    cache_read: '0.5',
    cache_write: '6.25',
    cache_write_1h: '10',
    variants: [
      {
        when: { tier: 'batch' },
        input: '2.5',
        output: '12.5',
        cache_read: '0.25',
        cache_write: '3.125',
        cache_write_1h: '5',
      },
    ],
  },
  format: 'messages',
} as const

export const ANTHROPIC_INVOICES: readonly Invoice[] = [
  {
    name: 'Anthropic, cache writes of five minutes and one hour',
    ...OPUS,
    reply: {
      content: [{ type: 'text', text: 'Hi' }],
      usage: {
        input_tokens: 21,
        cache_read_input_tokens: 18_003,
        cache_creation_input_tokens: 7_001,
        cache_creation: { ephemeral_5m_input_tokens: 1_001, ephemeral_1h_input_tokens: 6_000 },
        output_tokens: 903,
        server_tool_use: null,
        service_tier: 'standard',
      },
    },
    items: {
      cacheRead: [18_003, '0.5'],
      cacheWrite: [1_001, '6.25'],
      cacheWrite1h: [6_000, '10'],
      input: [21, '5'],
      output: [903, '25'],
    },
    // 0.0090015 + 0.00625625 + 0.06 + 0.000105 + 0.022575
    sum: '0.09793775',
  },
  {
    name: 'Anthropic, batch',
    ...OPUS,
    reply: {
      content: [{ type: 'text', text: 'Hi' }],
      usage: {
        input_tokens: 1_537,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 2_048,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 2_048 },
        output_tokens: 411,
        service_tier: 'batch',
      },
    },
    items: { cacheWrite1h: [2_048, '5'], input: [1_537, '2.5'], output: [411, '12.5'] },
    // 0.01024 + 0.0038425 + 0.0051375
    sum: '0.01922',
  },
  {
    name: 'Anthropic, web searches',
    documented: 'Claude Sonnet 5.5: 2 in, 10 out, 0.10 for hits; web search 10 dollars per 1,000 searches',
    price: { input: '2', output: '10', cache_read: '0.1', cache_write: '2.5', web_search: '0.01' },
    format: 'messages',
    reply: {
      content: [{ type: 'text', text: 'Hi' }],
      usage: {
        input_tokens: 6_039,
        output_tokens: 931,
        cache_read_input_tokens: 1_025,
        cache_creation_input_tokens: 0,
        server_tool_use: { web_search_requests: 3, web_fetch_requests: 2 },
        service_tier: 'standard',
      },
    },
    items: { cacheRead: [1_025, '0.1'], input: [6_039, '2'], output: [931, '10'], webSearch: [3, '0.01'] },
    // 0.0001025 + 0.012078 + 0.00931 + 0.03
    sum: '0.0514905',
  },
  {
    name: 'Anthropic, a long conversation that was summarized on the way',
    documented: 'Claude Opus 4.6: 5 in, 25 out; the summary is charged and not part of the totals',
    price: { input: '5', output: '25' },
    format: 'messages',
    reply: {
      content: [{ type: 'text', text: 'Hi' }],
      usage: {
        input_tokens: 23_000,
        output_tokens: 1_000,
        iterations: [
          { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 },
          { type: 'message', input_tokens: 23_000, output_tokens: 1_000 },
        ],
      },
    },
    items: { input: [203_000, '5'], output: [4_500, '25'] },
    // 1.015 + 0.1125
    sum: '1.1275',
  },
]
