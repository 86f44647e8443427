import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'

/** The generated text in a reply or a chunk: answer, thinking, refusal and input of calls. */
export function generatedText(value: JsonObject): string {
  let text = ''
  for (const item of asArray(value.choices)) {
    const choice = asObject(item)
    const message = asObject(choice?.delta) ?? asObject(choice?.message) ?? {}
    text += asText(message.content) ?? ''
    // Two names for the same thinking.
    text += asText(message.reasoning_content) ?? asText(message.reasoning) ?? ''
    text += asText(message.refusal) ?? ''
    for (const call of asArray(message.tool_calls)) {
      const { function: called, custom } = asObject(call) ?? {}
      text += asText(asObject(called)?.arguments) ?? asText(asObject(custom)?.input) ?? ''
    }
  }
  return text
}
