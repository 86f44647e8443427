import { asArray, asObject, type JsonObject, textLength } from '../../../wire/json-values.ts'

/** Characters a model wrote into a message or a delta: text, thinking, refusal, tool names and arguments. */
export function countGenerated(message: JsonObject): number {
  return textLength(message.content) + countBesideContent(message)
}

/** The same without `content`, which in what a client sends may be more than text. */
export function countBesideContent(message: JsonObject): number {
  return (
    // Two names for the same thinking; a supplier that sends both repeats itself.
    Math.max(textLength(message.reasoning_content), textLength(message.reasoning)) +
    textLength(message.refusal) +
    countCall(message.function_call) +
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
