import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'

/** The generated text in a response or an event: answer and thoughts. Arguments of calls do not arrive as text. */
export function generatedText(value: JsonObject): string {
  let text = ''
  for (const candidate of asArray(value.candidates)) {
    for (const part of asArray(asObject(asObject(candidate)?.content)?.parts)) {
      text += asText(asObject(part)?.text) ?? ''
    }
  }
  return text
}
