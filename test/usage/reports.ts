import type { JsonObject } from '../../src/wire/json-values.ts'
import { outputOf, promptOf, readOf, type TrueUsage, writtenOf } from './true-usage.ts'

/** Whole replies in which suppliers report what was used, each in the way of its format or dialect. */

const CHAT = { choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }] }

export function chatReply(truth: TrueUsage): JsonObject {
  return { ...CHAT, service_tier: truth.tier ?? 'default', usage: chatUsage(truth) }
}

function chatUsage(truth: TrueUsage): JsonObject {
  return {
    prompt_tokens: promptOf(truth),
    completion_tokens: outputOf(truth),
    total_tokens: promptOf(truth) + outputOf(truth),
    prompt_tokens_details: promptDetails(truth),
    completion_tokens_details: outputDetails(truth),
    server_tool_use: {
      web_search_requests: truth.searches,
      code_execution_requests: truth.executions,
    },
  }
}

/** The counts of media overlap with the cached ones. */
function promptDetails(truth: TrueUsage): JsonObject {
  return {
    cached_tokens: readOf(truth),
    cached_tokens_details: {
      text_tokens: truth.cachedText,
      audio_tokens: truth.cachedAudio,
      image_tokens: truth.cachedImage,
    },
    cache_write_tokens: writtenOf(truth),
    cache_creation: lifetimes(truth),
    audio_tokens: truth.audio + truth.cachedAudio,
    image_tokens: truth.image + truth.cachedImage,
  }
}

function lifetimes(truth: TrueUsage): JsonObject {
  return {
    ephemeral_5m_input_tokens: truth.written5m,
    ephemeral_30m_input_tokens: truth.written30m,
    ephemeral_1h_input_tokens: truth.written1h,
    ephemeral_12h_input_tokens: truth.written12h,
  }
}

function outputDetails({ thought, saidAudio, drawn }: TrueUsage): JsonObject {
  return { reasoning_tokens: thought, audio_tokens: saidAudio, image_tokens: drawn }
}

/** Thinking is in the total but not in the completion. */
export function chatReplyWithThinkingOutside(truth: TrueUsage): JsonObject {
  const usage = { ...chatUsage(truth), completion_tokens: outputOf(truth) - truth.thought }
  return { ...CHAT, service_tier: truth.tier, usage }
}

/** Only the total tells that there was thinking. */
export function chatReplyWithHiddenThinking(truth: TrueUsage): JsonObject {
  return {
    ...CHAT,
    usage: {
      prompt_tokens: promptOf(truth),
      completion_tokens: outputOf(truth) - truth.thought,
      total_tokens: promptOf(truth) + outputOf(truth),
    },
  }
}

/** Cached tokens are in the total but not in the prompt. */
export function chatReplyWithCacheOutside(truth: TrueUsage): JsonObject {
  const prompt = promptOf(truth) - readOf(truth) - writtenOf(truth)
  return { ...CHAT, service_tier: truth.tier, usage: { ...chatUsage(truth), prompt_tokens: prompt } }
}

/** Hits and misses beside the prompt, which has both. */
export function chatReplyWithHits(truth: TrueUsage): JsonObject {
  const { prompt_tokens, completion_tokens, total_tokens, completion_tokens_details } = chatUsage(truth)
  return {
    ...CHAT,
    usage: {
      prompt_tokens,
      completion_tokens,
      total_tokens,
      completion_tokens_details,
      prompt_cache_hit_tokens: readOf(truth),
      prompt_cache_miss_tokens: promptOf(truth) - readOf(truth),
    },
  }
}

/** The tools that ran are items of the output; every execution has a container of its own. */
export function responsesReply(truth: TrueUsage): JsonObject {
  const searches = Array.from({ length: truth.searches }, (_, number) => [
    { type: 'web_search_call', id: `ws_${number}`, status: 'completed', action: { type: 'search' } },
    { type: 'web_search_call', id: `op_${number}`, status: 'completed', action: { type: 'open_page' } },
  ])
  const executions = Array.from({ length: truth.executions }, (_, number) => [
    { type: 'code_interpreter_call', id: `ci_${number}`, container_id: `cntr_${number}` },
    { type: 'code_interpreter_call', id: `ci_${number}b`, container_id: `cntr_${number}` },
  ])
  return {
    status: 'completed',
    output: [...searches, ...executions].flat(),
    service_tier: truth.tier ?? 'default',
    usage: {
      input_tokens: promptOf(truth),
      input_tokens_details: promptDetails(truth),
      output_tokens: outputOf(truth),
      output_tokens_details: outputDetails(truth),
      total_tokens: promptOf(truth) + outputOf(truth),
    },
  }
}

/** Cached tokens are beside the input. */
export function messagesReply(truth: TrueUsage): JsonObject {
  const speed = truth.tier === 'fast' ? 'fast' : 'standard'
  return {
    content: [],
    usage: {
      input_tokens: truth.text,
      cache_read_input_tokens: readOf(truth),
      cache_creation_input_tokens: writtenOf(truth),
      cache_creation: lifetimes(truth),
      output_tokens: outputOf(truth),
      output_tokens_details: { thinking_tokens: truth.thought },
      server_tool_use: {
        web_search_requests: truth.searches,
        code_execution_requests: truth.executions,
      },
      service_tier: truth.tier === null || truth.tier === 'fast' ? 'standard' : truth.tier,
      speed,
    },
  }
}

/** Thoughts are beside the candidates, what tools add is beside the prompt, and video counts like text. */
export function generationReply(truth: TrueUsage): JsonObject {
  const ofTools = Math.floor(truth.text / 3)
  const queries = Array.from({ length: truth.searches }, (_, number) => `question ${number}`)
  return {
    candidates: [
      { content: { parts: [] }, finishReason: 'STOP', groundingMetadata: { webSearchQueries: queries } },
    ],
    usageMetadata: {
      promptTokenCount: promptOf(truth) - ofTools,
      toolUsePromptTokenCount: ofTools,
      cachedContentTokenCount: readOf(truth),
      candidatesTokenCount: outputOf(truth) - truth.thought,
      thoughtsTokenCount: truth.thought,
      totalTokenCount: promptOf(truth) + outputOf(truth),
      promptTokensDetails: modalities({
        VIDEO: truth.text - ofTools,
        AUDIO: truth.audio + truth.cachedAudio,
        IMAGE: truth.image + truth.cachedImage,
        DOCUMENT: truth.cachedText,
      }),
      toolUsePromptTokensDetails: modalities({ TEXT: ofTools }),
      cacheTokensDetails: modalities({
        TEXT: truth.cachedText,
        AUDIO: truth.cachedAudio,
        IMAGE: truth.cachedImage,
      }),
      candidatesTokensDetails: modalities({
        TEXT: truth.saidText,
        AUDIO: truth.saidAudio,
        IMAGE: truth.drawn,
      }),
      trafficType: truth.tier === null ? 'ON_DEMAND' : `ON_DEMAND_${truth.tier.toUpperCase()}`,
    },
  }
}

function modalities(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([modality, tokenCount]) => ({ modality, tokenCount }))
}
