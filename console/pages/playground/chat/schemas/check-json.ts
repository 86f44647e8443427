import { Errors } from 'typebox/schema'
import type { JsonObject } from '../../../../parts/wire/question.ts'
import { parse } from '../../../../parts/wire/read-answer.ts'

const MOST_SHOWN = 5

/** What is wrong with a response that should follow a schema; empty when nothing is. */
export function checkJson(text: string, schema: JsonObject): readonly string[] {
  const value = parse(text)
  if (value === null && text.trim() !== 'null') return ['The response is not valid JSON.']
  try {
    const [isRight, errors] = Errors(schema, value)
    if (isRight) return []
    const lines = errors.map(({ instancePath, message }) => `${instancePath || 'The whole'}: ${message}.`)
    return [...new Set(lines)].slice(0, MOST_SHOWN)
  } catch {
    return ['The schema cannot be checked here.']
  }
}
