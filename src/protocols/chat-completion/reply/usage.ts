import type { Usage } from '../../../conversation/usage.ts'
import {
  asArray,
  asCount,
  asObject,
  isCountOrMissing,
  isObject,
  type JsonObject,
  textLength,
} from '../../../wire/json-values.ts'
import type { ReplyFacts } from '../../protocol.ts'

/** `prompt_tokens` includes cached tokens. `completion_tokens` includes thinking. */
export interface ChatUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number }
  readonly completion_tokens_details: { readonly reasoning_tokens: number }
}

/** Reads a usage object into buckets that do not overlap. Returns null when it has no counts. */
export function decodeUsage(wire: unknown): Usage | null {
  const usage = asObject(wire)
  if (usage === null) return null
  const total = asCount(usage.total_tokens)
  const { prompt_tokens, completion_tokens } = usage
  // An invalid count cannot be charged. The delivered output is counted instead.
  if (!isCountOrMissing(prompt_tokens) || !isCountOrMissing(completion_tokens)) return null
  if ((prompt_tokens ?? completion_tokens ?? null) === null && total === 0) return null
  const reasoning = asCount(asObject(usage.completion_tokens_details)?.reasoning_tokens)
  const prompt = asCount(usage.prompt_tokens, total - asCount(usage.completion_tokens))
  const completion = asCount(usage.completion_tokens, total - prompt)
  const promptDetails = asObject(usage.prompt_tokens_details)
  const cacheRead = asCount(promptDetails?.cached_tokens ?? usage.prompt_cache_hit_tokens)
  const cacheWrite = asCount(promptDetails?.cache_write_tokens)
  // Some suppliers leave thinking out of the completion count. Only the total shows it then.
  const isReasoningExtra = reasoning > completion || total === prompt + completion + reasoning
  return {
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: isReasoningExtra ? completion + reasoning : completion,
    reasoning,
    images: 0,
  }
}

export function encodeUsage(usage: Usage): ChatUsage {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}

/** Reads a whole reply. Returns null if it has no choices, a choice without a message, or an error. */
export function readReply(body: unknown): ReplyFacts | null {
  const reply = asObject(body)
  if (reply === null || isObject(reply.error)) return null
  const choices = asArray(reply.choices)
  if (choices.length === 0) return null
  let outputCharacters = 0
  for (const item of choices) {
    const choice = asObject(item)
    const message = asObject(choice?.message)
    if (message === null || isObject(choice?.error)) return null
    outputCharacters += countGenerated(message)
  }
  return { usage: decodeUsage(reply.usage), outputCharacters }
}

/** Counts the characters generated in a message or delta: text, thinking, refusal, tool names and arguments. */
export function countGenerated(message: JsonObject): number {
  return textLength(message.content) + countBesideContent(message)
}

/** The same without `content`, which may hold more than text in a client's message. */
export function countBesideContent(message: JsonObject): number {
  return (
    // Two names for the same thinking. A supplier that sends both sends the text twice.
    Math.max(textLength(message.reasoning_content), textLength(message.reasoning)) +
    textLength(message.refusal) +
    (message.function_call ? countCall(message.function_call) : 0) +
    (message.tool_calls ? countToolCalls(message.tool_calls) : 0)
  )
}

function countToolCalls(calls: unknown): number {
  let characters = 0
  for (const call of asArray(calls)) {
    const { function: called, custom } = asObject(call) ?? {}
    characters += countCall(called) + countCall(custom)
  }
  return characters
}

function countCall(call: unknown): number {
  const called = asObject(call)
  return called ? textLength(called.name) + textLength(called.arguments) + textLength(called.input) : 0
}
