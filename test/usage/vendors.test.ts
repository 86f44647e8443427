import { describe, expect, test } from 'bun:test'
import { NO_USAGE, type Usage } from '../../src/conversation/usage.ts'
import { protocolOf } from '../../src/protocols/index.ts'
import type { Format } from '../../src/vocabulary/supply.ts'
import type { JsonObject } from '../../src/wire/json-values.ts'

/** Usage objects as vendors send them, and what they mean. */
const REPORTS: readonly (readonly [
  vendor: string,
  format: Format,
  report: JsonObject,
  used: Partial<Usage>,
])[] = [
  [
    'OpenAI, an audio model',
    'chat-completion',
    {
      prompt_tokens: 128,
      completion_tokens: 66,
      total_tokens: 194,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 84, text_tokens: 44, image_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 50,
        text_tokens: 16,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    { input: 128, output: 66, details: { audioInput: 84, audioOutput: 50 } },
  ],
  [
    'OpenAI, an ordinary reply has no details',
    'chat-completion',
    {
      prompt_tokens: 19,
      completion_tokens: 10,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0 },
    },
    { input: 19, output: 10 },
  ],
  [
    'xAI, reasoning beside the completion',
    'chat-completion',
    {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      prompt_tokens_details: { text_tokens: 32, audio_tokens: 0, image_tokens: 0, cached_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 94, audio_tokens: 0, accepted_prediction_tokens: 0 },
      num_sources_used: 0,
    },
    { input: 26, cacheRead: 6, output: 103, reasoning: 94 },
  ],
  [
    'xAI, sources of a search',
    'chat-completion',
    { prompt_tokens: 40, completion_tokens: 8, total_tokens: 48, num_sources_used: 5 },
    { input: 40, output: 8, details: { webSearches: 5 } },
  ],
  [
    'xAI, searches on X',
    'responses',
    {
      input_tokens: 8_063,
      input_tokens_details: { cached_tokens: 3_072 },
      output_tokens: 2_658,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 10_721,
      num_sources_used: 0,
      num_server_side_tools_used: 4,
      server_side_tool_usage_details: { web_search_calls: 0, x_search_calls: 4, code_interpreter_calls: 0 },
    },
    { input: 4_991, cacheRead: 3_072, output: 2_658, details: { webSearches: 4 } },
  ],
  [
    'DeepSeek',
    'chat-completion',
    {
      prompt_tokens: 1_020,
      completion_tokens: 300,
      total_tokens: 1_320,
      prompt_tokens_details: { cached_tokens: 960 },
      completion_tokens_details: { reasoning_tokens: 250 },
      prompt_cache_hit_tokens: 960,
      prompt_cache_miss_tokens: 60,
    },
    { input: 60, cacheRead: 960, output: 300, reasoning: 250 },
  ],
  [
    'Mistral, sound outside the prompt',
    'chat-completion',
    {
      prompt_audio_seconds: 12,
      prompt_tokens: 3,
      total_tokens: 419,
      completion_tokens: 41,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 375 },
      service_tier: 'standard',
    },
    { input: 378, output: 41, details: { audioInput: 375 } },
  ],
  [
    'Mistral, sound only in the total, most of it cached',
    'chat-completion',
    {
      prompt_audio_seconds: 5,
      prompt_tokens: 5,
      total_tokens: 404,
      completion_tokens: 24,
      prompt_tokens_details: { cached_tokens: 368 },
    },
    { input: 12, cacheRead: 368, output: 24, details: { audioInput: 12, audioCacheRead: 363 } },
  ],
  [
    'Mistral, no sound',
    'chat-completion',
    {
      prompt_audio_seconds: 0,
      prompt_tokens: 13,
      completion_tokens: 7,
      total_tokens: 20,
      num_cached_tokens: 0,
      prompt_tokens_details: { cached_tokens: 0 },
    },
    { input: 13, output: 7 },
  ],
  [
    'Groq',
    'chat-completion',
    {
      queue_time: 0.03,
      prompt_tokens: 2_006,
      prompt_time: 0.009,
      completion_tokens: 300,
      completion_time: 0.33,
      total_tokens: 2_306,
      total_time: 0.34,
      prompt_tokens_details: { cached_tokens: 1_920 },
    },
    { input: 86, cacheRead: 1_920, output: 300 },
  ],
  [
    'OpenRouter',
    'chat-completion',
    {
      prompt_tokens: 10_339,
      completion_tokens: 60,
      total_tokens: 10_399,
      cost: 0.04,
      is_byok: false,
      prompt_tokens_details: {
        cached_tokens: 100,
        cache_write_tokens: 10_200,
        audio_tokens: 0,
        video_tokens: 0,
      },
      completion_tokens_details: { reasoning_tokens: 20, image_tokens: 0 },
      server_tool_use: { web_search_requests: 2 },
    },
    { input: 39, cacheRead: 100, cacheWrite: 10_200, output: 60, reasoning: 20, details: { webSearches: 2 } },
  ],
  [
    'Moonshot and Together, cached tokens at the top',
    'chat-completion',
    { prompt_tokens: 190, completion_tokens: 21, total_tokens: 211, cached_tokens: 128 },
    { input: 62, cacheRead: 128, output: 21 },
  ],
  [
    'Alibaba, an explicit cache',
    'chat-completion',
    {
      prompt_tokens: 1_500,
      completion_tokens: 10,
      total_tokens: 1_510,
      prompt_tokens_details: {
        cached_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 1_400 },
        cache_creation_input_tokens: 1_400,
        cache_type: 'ephemeral',
      },
    },
    { input: 100, cacheWrite: 1_400, output: 10 },
  ],
  [
    'LiteLLM, cached tokens in the prompt',
    'chat-completion',
    {
      total_tokens: 103_925,
      prompt_tokens: 98_805,
      completion_tokens: 5_120,
      prompt_tokens_details: {
        text_tokens: null,
        audio_tokens: null,
        image_tokens: null,
        cached_tokens: 66_360,
        cache_creation_tokens: 32_435,
        cache_creation_token_details: { ephemeral_5m_input_tokens: 435, ephemeral_1h_input_tokens: 32_000 },
      },
      cache_read_input_tokens: 66_360,
      completion_tokens_details: { reasoning_tokens: 1_710, text_tokens: null },
      cache_creation_input_tokens: 32_435,
    },
    {
      input: 10,
      cacheRead: 66_360,
      cacheWrite: 32_435,
      output: 5_120,
      reasoning: 1_710,
      details: { cacheWrite1h: 32_000 },
    },
  ],
  [
    'LiteLLM of old, cached tokens outside the prompt and the total',
    'chat-completion',
    {
      completion_tokens: 467,
      prompt_tokens: 31,
      total_tokens: 498,
      prompt_tokens_details: { cached_tokens: 0 },
      cache_creation_input_tokens: 1_253,
      cache_read_input_tokens: 0,
    },
    { input: 31, cacheWrite: 1_253, output: 467 },
  ],
  [
    'Google by chat, thinking only in the total',
    'chat-completion',
    { prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 },
    { input: 20, output: 603, reasoning: 405 },
  ],
  [
    'Google by chat, nothing but thinking',
    'chat-completion',
    {
      completion_tokens: 0,
      total_tokens: 81,
      prompt_tokens: 21,
      completion_tokens_details: { reasoning_tokens: 60 },
    },
    { input: 21, output: 60, reasoning: 60 },
  ],
  [
    'Perplexity, deep research',
    'chat-completion',
    {
      prompt_tokens: 1_188,
      completion_tokens: 4_240,
      total_tokens: 5_428,
      citation_tokens: 8_014,
      num_search_queries: 54,
      reasoning_tokens: 92_431,
    },
    { input: 9_202, output: 96_671, reasoning: 92_431, details: { webSearches: 54 } },
  ],
  [
    'Anthropic, one-hour writes',
    'messages',
    {
      input_tokens: 2,
      cache_read_input_tokens: 182_183,
      cache_creation_input_tokens: 475,
      cache_creation: { ephemeral_1h_input_tokens: 400, ephemeral_5m_input_tokens: 75 },
      output_tokens: 1_182,
      service_tier: 'standard',
      inference_geo: 'not_available',
    },
    { input: 2, cacheRead: 182_183, cacheWrite: 475, output: 1_182, details: { cacheWrite1h: 400 } },
  ],
  [
    'Anthropic, a broken breakdown of writes',
    'messages',
    {
      input_tokens: 12,
      cache_creation_input_tokens: 900,
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
      output_tokens: 4,
      server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
    },
    { input: 12, cacheWrite: 900, output: 4, details: { webSearches: 1 } },
  ],
  [
    'Anthropic, fast mode',
    'messages',
    { input_tokens: 5, output_tokens: 6, service_tier: 'standard', speed: 'fast' },
    { input: 5, output: 6, details: { serviceTier: 'fast' } },
  ],
  [
    'Anthropic, a summary on the way',
    'messages',
    {
      input_tokens: 23_000,
      output_tokens: 1_000,
      iterations: [
        { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 },
        { type: 'message', input_tokens: 23_000, output_tokens: 1_000 },
      ],
    },
    { input: 203_000, output: 4_500 },
  ],
  [
    'Gemini, an image model',
    'content-generation',
    {
      promptTokenCount: 268,
      candidatesTokenCount: 1_305,
      totalTokenCount: 1_573,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 10 },
        { modality: 'IMAGE', tokenCount: 258 },
      ],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
    },
    { input: 268, output: 1_305, details: { imageInput: 258, imageOutput: 1_290 } },
  ],
  [
    'Vertex, flex traffic',
    'content-generation',
    {
      promptTokenCount: 11,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 40,
      totalTokenCount: 54,
      trafficType: 'ON_DEMAND_FLEX',
    },
    { input: 11, output: 43, reasoning: 40, details: { serviceTier: 'flex' } },
  ],
  [
    'Vertex, ordinary traffic',
    'content-generation',
    {
      promptTokenCount: 11,
      candidatesTokenCount: 3,
      totalTokenCount: 14,
      trafficType: 'ON_DEMAND',
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 11 }],
      candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 3 }],
    },
    { input: 11, output: 3 },
  ],
]

const REPLIES: Readonly<Record<string, (usage: JsonObject) => JsonObject>> = {
  'chat-completion': (usage) => ({ choices: [{ message: { content: 'Hi' } }], usage }),
  responses: (usage) => ({ output: [], usage }),
  messages: (usage) => ({ content: [], usage }),
  'content-generation': (usageMetadata) => ({ candidates: [{}], usageMetadata }),
}

describe('usage as vendors report it', () => {
  for (const [vendor, format, report, used] of REPORTS) {
    test(vendor, () => {
      const reply = REPLIES[format]?.(report)
      expect(protocolOf(format)?.readReply(reply)?.usage).toEqual({ ...NO_USAGE, ...used })
    })
  }
})
