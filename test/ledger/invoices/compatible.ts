import { CHAT, type Invoice } from './invoice.ts'

const DEEPSEEK = {
  documented:
    'DeepSeek V4 Pro: 0.022 for hits, 0.66 for misses, 1.98 out; twice that at 01:00–04:00 and 06:00–10:00 UTC',
  price: {
    input: '0.66',
    output: '1.98',
    cache_read: '0.022',
    variants: ['01:00-04:00', '06:00-10:00'].map((hours) => ({
      when: { hours },
      input: '1.32',
      output: '3.96',
      cache_read: '0.044',
    })),
  },
  format: 'chat-completion',
  reply: {
    ...CHAT,
    usage: {
      prompt_tokens: 12_345,
      completion_tokens: 678,
      total_tokens: 13_023,
      prompt_tokens_details: { cached_tokens: 11_008 },
      prompt_cache_hit_tokens: 11_008,
      prompt_cache_miss_tokens: 1_337,
      completion_tokens_details: { reasoning_tokens: 512 },
    },
  },
} as const

export const COMPATIBLE_INVOICES: readonly Invoice[] = [
  {
    name: 'xAI, above 200,000 tokens, reasoning beside the completion',
    documented: 'Grok 4.7: 2 in, 0.50 cached, 6 out with reasoning; above 200k tokens 4, 1 and 12',
    price: {
      input: '2',
      output: '6',
      cache_read: '0.5',
      variants: [{ when: { prompt_above: 200_000 }, input: '4', output: '12', cache_read: '1' }],
    },
    format: 'chat-completion',
    reply: {
      ...CHAT,
      usage: {
        prompt_tokens: 204_801,
        completion_tokens: 129,
        total_tokens: 206_267,
        prompt_tokens_details: { text_tokens: 204_801, audio_tokens: 0, image_tokens: 0, cached_tokens: 151 },
        completion_tokens_details: {
          reasoning_tokens: 1_337,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
        num_sources_used: 0,
      },
    },
    items: { cacheRead: [151, '1'], input: [204_650, '4'], output: [1_466, '12'] },
    // 0.000151 + 0.8186 + 0.017592
    sum: '0.836343',
  },
  {
    name: 'xAI, the amount in the reply itself',
    documented: 'Grok 4.3: 1.25 in, 0.20 cached, 2.50 out',
    price: { input: '1.25', output: '2.5', cache_read: '0.2' },
    format: 'responses',
    reply: {
      status: 'completed',
      output: [],
      usage: {
        input_tokens: 26_478,
        input_tokens_details: { cached_tokens: 192 },
        output_tokens: 914,
        output_tokens_details: { reasoning_tokens: 702 },
        total_tokens: 27_392,
        num_sources_used: 0,
        num_server_side_tools_used: 0,
        cost_in_usd_ticks: 351_809_000,
      },
    },
    items: { cacheRead: [192, '0.2'], input: [26_286, '1.25'], output: [914, '2.5'] },
    // 0.0000384 + 0.0328575 + 0.002285
    sum: '0.0351809',
  },
  {
    name: 'xAI, searches, the amount in the reply itself',
    documented: 'Grok 4.5: 2 in, 0.50 cached, 6 out; web and X search 5 dollars per 1,000 calls',
    price: { input: '2', output: '6', cache_read: '0.5', web_search: '0.005' },
    format: 'responses',
    reply: {
      status: 'completed',
      service_tier: 'default',
      output: [],
      usage: {
        input_tokens: 84_348,
        input_tokens_details: { cached_tokens: 60_288 },
        output_tokens: 3_885,
        output_tokens_details: { reasoning_tokens: 2_365 },
        total_tokens: 88_233,
        num_sources_used: 0,
        num_server_side_tools_used: 13,
        cost_in_usd_ticks: 1_665_740_000,
        server_side_tool_usage_details: {
          web_search_calls: 0,
          x_search_calls: 13,
          code_interpreter_calls: 0,
        },
      },
    },
    items: {
      cacheRead: [60_288, '0.5'],
      input: [24_060, '2'],
      output: [3_885, '6'],
      webSearch: [13, '0.005'],
    },
    // 0.030144 + 0.04812 + 0.02331 + 0.065
    sum: '0.166574',
  },
  {
    name: 'DeepSeek, off-peak',
    ...DEEPSEEK,
    startedAt: '2026-11-17T04:00:00Z',
    items: { cacheRead: [11_008, '0.022'], input: [1_337, '0.66'], output: [678, '1.98'] },
    // 0.000242176 + 0.00088242 + 0.00134244
    sum: '0.002467036',
  },
  {
    name: 'DeepSeek, peak',
    ...DEEPSEEK,
    startedAt: '2026-11-17T03:59:59Z',
    items: { cacheRead: [11_008, '0.044'], input: [1_337, '1.32'], output: [678, '3.96'] },
    sum: '0.004934072',
  },
  {
    name: 'Perplexity, deep research',
    documented:
      'Sonar Deep Research: 2 in, 8 out, 2 for citation tokens, 3 for reasoning; 5 dollars per 1,000 searches',
    price: { input: '2', output: '8', reasoning: '3', web_search: '0.005' },
    format: 'chat-completion',
    reply: {
      ...CHAT,
      usage: {
        prompt_tokens: 33,
        completion_tokens: 7_163,
        total_tokens: 7_196,
        citation_tokens: 20_016,
        num_search_queries: 18,
        reasoning_tokens: 73_997,
      },
    },
    items: {
      input: [20_049, '2'],
      output: [7_163, '8'],
      reasoning: [73_997, '3'],
      webSearch: [18, '0.005'],
    },
    // 0.040098 + 0.057304 + 0.221991 + 0.09
    sum: '0.409393',
  },
]
