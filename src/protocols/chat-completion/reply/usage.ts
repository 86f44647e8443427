import { asArray, asObject, type JsonObject, textLength } from '../../../wire/json-values.ts'
import type { ReplyFacts } from '../../protocol.ts'
import { decodeUsage } from '../../token-details.ts'

/** Reads a whole reply. Returns null if it has no choices, a choice without a message, or an error. */
export function readReply(body: unknown): ReplyFacts | null {
  const reply = asObject(body)
  if (reply === null || asObject(reply.error) !== null) return null
  const choices = asArray(reply.choices)
  if (choices.length === 0) return null
  let outputCharacters = 0
  for (const item of choices) {
    const choice = asObject(item)
    const message = asObject(choice?.message)
    if (message === null || asObject(choice?.error) !== null) return null
    outputCharacters += countGenerated(message)
  }
  return { usage: decodeUsage(reply.usage, reply.service_tier), outputCharacters }
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
    // What is said aloud comes with its text.
    (message.audio ? textLength(asObject(message.audio)?.transcript) : 0) +
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
