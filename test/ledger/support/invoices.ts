import type { Format } from '../../../src/vocabulary/supply.ts'
import type { JsonObject } from '../../../src/wire/json-values.ts'

/** A reply as the vendor sends it, and what the vendor's price list makes of it. */
export interface Invoice {
  readonly name: string
  /** What the vendor's price page says, in dollars per million tokens unless it names another unit. */
  readonly documented: string
  /** The same as the operator API takes it. */
  readonly price: JsonObject
  readonly format: Format
  readonly reply: JsonObject
  /** When the request started; a Tuesday at noon unless said otherwise. */
  readonly startedAt?: string
  /** The size and quality that were requested, for images. */
  readonly requested?: { readonly imageSize?: string; readonly imageQuality?: string }
  /** Quantity and rate of every item, worked out by hand from the reply and the price page. */
  readonly items: Readonly<Record<string, readonly [quantity: number, rate: string]>>
  /** Their sum by hand. */
  readonly sum: string
}

const CHAT = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }

const LONG_GPT = {
  documented:
    'GPT-5.4: 2.50 in, 0.25 cached, 15 out; above 272K tokens 2 × input and 1.5 × output, all of it',
  price: {
    input: '2.5',
    output: '15',
    cache_read: '0.25',
    variants: [
      { when: { prompt_above: 272_000 }, input: '5', output: '22.5', cache_read: '0.5' },
      { when: { tier: 'priority' }, input: '5', output: '30', cache_read: '0.5' },
    ],
  },
  format: 'responses',
} as const

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

const FLASH = {
  documented: 'Gemini 3.8 Flash: 0.75 in and 3.75 out through December 31, 2026, then 1.50 and 7.50',
  price: {
    input: '0.75',
    output: '3.75',
    variants: [{ when: { from: '2027-01-01T00:00:00Z' }, input: '1.5', output: '7.5' }],
  },
  format: 'content-generation',
  reply: {
    candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1_001, candidatesTokenCount: 11, totalTokenCount: 1_012 },
  },
} as const

const DALL_E = {
  documented:
    'DALL·E 3 per image: 1024x1024 standard 0.04 and hd 0.08; 1024x1792 and 1792x1024 standard 0.08 and hd 0.12',
  price: {
    input: '0',
    output: '0',
    image: '0.04',
    images: [
      { size: '1024x1024', quality: 'hd', price: '0.08' },
      { size: '1024x1024', price: '0.04' },
      { size: '1024x1792', quality: 'hd', price: '0.12' },
      { size: '1792x1024', quality: 'hd', price: '0.12' },
      { price: '0.08' },
    ],
  },
  format: 'images',
} as const

export const INVOICES: readonly Invoice[] = [
  {
    name: 'OpenAI, above 272,000 tokens',
    ...LONG_GPT,
    reply: {
      status: 'completed',
      output: [],
      service_tier: 'default',
      usage: {
        input_tokens: 300_123,
        input_tokens_details: { cached_tokens: 250_112 },
        output_tokens: 4_321,
        output_tokens_details: { reasoning_tokens: 2_048 },
        total_tokens: 304_444,
      },
    },
    items: { cacheRead: [250_112, '0.5'], input: [50_011, '5'], output: [4_321, '22.5'] },
    // 0.125056 + 0.250055 + 0.0972225
    sum: '0.4723335',
  },
  {
    name: 'OpenAI, 272,000 tokens and not one more',
    ...LONG_GPT,
    reply: {
      status: 'completed',
      output: [],
      service_tier: 'default',
      usage: { input_tokens: 272_000, output_tokens: 1, total_tokens: 272_001 },
    },
    items: { input: [272_000, '2.5'], output: [1, '15'] },
    sum: '0.680015',
  },
  {
    name: 'OpenAI, priority tier',
    ...LONG_GPT,
    reply: {
      status: 'completed',
      output: [],
      service_tier: 'priority',
      usage: {
        input_tokens: 8_191,
        input_tokens_details: { cached_tokens: 6_400 },
        output_tokens: 777,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 8_968,
      },
    },
    items: { cacheRead: [6_400, '0.5'], input: [1_791, '5'], output: [777, '30'] },
    // 0.0032 + 0.008955 + 0.02331
    sum: '0.035465',
  },
  {
    name: 'OpenAI, flex tier',
    documented: 'GPT-5: 1.25 in, 0.125 cached, 10 out; flex 0.625, 0.0625 and 5',
    price: {
      input: '1.25',
      output: '10',
      cache_read: '0.125',
      variants: [{ when: { tier: 'flex' }, input: '0.625', output: '5', cache_read: '0.0625' }],
    },
    format: 'chat-completion',
    reply: {
      ...CHAT,
      service_tier: 'flex',
      usage: {
        prompt_tokens: 2_003,
        completion_tokens: 1_111,
        total_tokens: 3_114,
        prompt_tokens_details: { cached_tokens: 1_920, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 640,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
    },
    items: { cacheRead: [1_920, '0.0625'], input: [83, '0.625'], output: [1_111, '5'] },
    // 0.00012 + 0.000051875 + 0.005555
    sum: '0.005726875',
  },
  {
    name: 'OpenAI, web searches',
    documented:
      'GPT-6 Sol: 2 in, 0.20 cached, 2.50 for writes, 10 out; web search 10 dollars per 1,000 calls',
    price: { input: '2', output: '10', cache_read: '0.2', cache_write: '2.5', web_search: '0.01' },
    format: 'responses',
    reply: {
      status: 'completed',
      service_tier: 'default',
      output: [
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'a' } },
        { type: 'web_search_call', id: 'ws_2', status: 'completed', action: { type: 'open_page', url: 'u' } },
        { type: 'web_search_call', id: 'ws_3', status: 'completed', action: { type: 'search', query: 'b' } },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
      ],
      usage: {
        input_tokens: 10_017,
        input_tokens_details: { cached_tokens: 4_096, cache_write_tokens: 5_120 },
        output_tokens: 333,
        output_tokens_details: { reasoning_tokens: 64 },
        total_tokens: 10_350,
      },
    },
    items: {
      cacheRead: [4_096, '0.2'],
      cacheWrite: [5_120, '2.5'],
      input: [801, '2'],
      output: [333, '10'],
      webSearch: [2, '0.01'],
    },
    // 0.0008192 + 0.0128 + 0.001602 + 0.00333 + 0.02
    sum: '0.0385512',
  },
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
  {
    name: 'Gemini, above 200,000 tokens',
    documented: 'Gemini 3.1 Pro: 2 in, 0.20 cached, 12 out with thoughts; above 200k tokens 4, 0.40 and 18',
    price: {
      input: '2',
      output: '12',
      cache_read: '0.2',
      variants: [{ when: { prompt_above: 200_000 }, input: '4', output: '18', cache_read: '0.4' }],
    },
    format: 'content-generation',
    reply: {
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 210_001,
        cachedContentTokenCount: 180_000,
        candidatesTokenCount: 1_203,
        thoughtsTokenCount: 3_597,
        totalTokenCount: 214_801,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 210_001 }],
        cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 180_000 }],
      },
    },
    items: { cacheRead: [180_000, '0.4'], input: [30_001, '4'], output: [4_800, '18'] },
    // 0.072 + 0.120004 + 0.0864
    sum: '0.278404',
  },
  {
    name: 'Gemini, audio',
    documented:
      'Gemini 3.1 Flash-Lite: 0.25 text, image and video, 0.50 audio; cached 0.025 and 0.05; 1.50 out',
    price: {
      input: '0.25',
      output: '1.5',
      cache_read: '0.025',
      audio_input: '0.5',
      audio_cache_read: '0.05',
    },
    format: 'content-generation',
    reply: {
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 9_621,
        cachedContentTokenCount: 4_095,
        candidatesTokenCount: 207,
        totalTokenCount: 9_828,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 613 },
          { modality: 'AUDIO', tokenCount: 7_680 },
          { modality: 'VIDEO', tokenCount: 1_328 },
        ],
        cacheTokensDetails: [
          { modality: 'AUDIO', tokenCount: 3_840 },
          { modality: 'TEXT', tokenCount: 255 },
        ],
        candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 207 }],
      },
    },
    items: {
      cacheRead: [255, '0.025'],
      audioCacheRead: [3_840, '0.05'],
      input: [1_686, '0.25'],
      audioInput: [3_840, '0.5'],
      output: [207, '1.5'],
    },
    // 0.000006375 + 0.000192 + 0.0004215 + 0.00192 + 0.0003105
    sum: '0.002850375',
  },
  {
    name: 'Gemini, the last moment of an introductory price',
    ...FLASH,
    startedAt: '2026-12-31T23:59:59.999Z',
    items: { input: [1_001, '0.75'], output: [11, '3.75'] },
    sum: '0.000792',
  },
  {
    name: 'Gemini, the first moment after it',
    ...FLASH,
    startedAt: '2027-01-01T00:00:00Z',
    items: { input: [1_001, '1.5'], output: [11, '7.5'] },
    sum: '0.001584',
  },
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
  {
    name: 'OpenAI, images by size and quality',
    ...DALL_E,
    reply: { created: 1, data: [{ b64_json: 'AA==' }, { b64_json: 'AA==' }, { b64_json: 'AA==' }] },
    requested: { imageSize: '1024x1792', imageQuality: 'hd' },
    items: { image: [3, '0.12'] },
    sum: '0.36',
  },
  {
    name: 'OpenAI, an image of the usual quality',
    ...DALL_E,
    reply: { created: 1, data: [{ b64_json: 'AA==' }] },
    requested: { imageSize: '1024x1024' },
    items: { image: [1, '0.04'] },
    sum: '0.04',
  },
  {
    name: 'OpenAI, images by tokens',
    documented: 'GPT Image 1: text 5 in and 1.25 cached; images 10 in, 2.50 cached and 40 out',
    price: {
      input: '5',
      output: '40',
      cache_read: '1.25',
      image_input: '10',
      image_cache_read: '2.5',
      image_output: '40',
    },
    format: 'images',
    reply: {
      created: 1,
      data: [{ b64_json: 'AA==' }],
      size: '1024x1024',
      quality: 'high',
      usage: {
        input_tokens: 373,
        input_tokens_details: { text_tokens: 50, image_tokens: 323, cached_tokens: 0 },
        output_tokens: 4_160,
        output_tokens_details: { image_tokens: 4_160, text_tokens: 0 },
        total_tokens: 4_533,
      },
    },
    items: { input: [50, '5'], imageInput: [323, '10'], imageOutput: [4_160, '40'], image: [1, '0'] },
    // 0.00025 + 0.00323 + 0.1664
    sum: '0.16988',
  },
]
