import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'

/** The generated text in a response or an event: answer, reasoning, refusal and input of calls. */
export function generatedText({ delta, output }: JsonObject): string {
  let text = asText(delta) ?? ''
  for (const item of asArray(output)) {
    const { arguments: args, input, content, summary } = asObject(item) ?? {}
    text += asText(args) ?? asText(input) ?? ''
    for (const part of [...asArray(summary), ...asArray(content)]) {
      const { text: written, refusal } = asObject(part) ?? {}
      text += asText(written) ?? asText(refusal) ?? ''
    }
  }
  return text
}
