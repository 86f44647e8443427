import { CHAT, type Invoice } from './invoice.ts'

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

export const OPENAI_INVOICES: readonly Invoice[] = [
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
