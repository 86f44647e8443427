import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'

/** The generated text in a message or an event: answer, thinking, and input of calls where it arrives as text. */
export function generatedText({ delta, content }: JsonObject): string {
  let text = ''
  for (const item of [delta, ...asArray(content)]) {
    const block = asObject(item)
    text += asText(block?.text) ?? asText(block?.thinking) ?? asText(block?.partial_json) ?? ''
  }
  return text
}
