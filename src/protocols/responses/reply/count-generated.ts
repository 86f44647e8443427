import { asArray, asObject, type JsonObject, textLength } from '../../../wire/json-values.ts'

/** Characters a model wrote into the items of an answer: text, thinking, refusals, tool names and input. */
export function countGenerated(output: unknown): number {
  let characters = 0
  for (const item of asArray(output)) characters += countItem(asObject(item) ?? {})
  return characters
}

function countItem(item: JsonObject): number {
  return (
    textLength(item.name) +
    textLength(item.arguments) +
    textLength(item.input) +
    textLength(item.code) +
    countParts(item.summary) +
    countParts(item.content)
  )
}

function countParts(parts: unknown): number {
  let characters = 0
  for (const part of asArray(parts)) {
    const { text, refusal } = asObject(part) ?? {}
    characters += textLength(text) + textLength(refusal)
  }
  return characters
}
