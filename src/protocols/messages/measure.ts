import { type JsonObject, textLength } from '../../wire/json-values.ts'

/**
 * Approximate length of a value as JSON: its strings and names, and two characters of punctuation for each.
 * Iterative, because a body may nest deeper than the stack.
 */
export function measureText(value: unknown): number {
  let characters = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string') characters += next.length + 2
    else if (Array.isArray(next)) {
      characters += 2
      for (const item of next) waiting.push(item)
    } else if (typeof next === 'object' && next !== null) {
      characters += 2
      for (const [name, member] of Object.entries(next)) {
        characters += name.length + 4
        waiting.push(member)
      }
    } else characters += String(next).length
  }
  return characters
}

/** Far deeper than real schemas or tool input, far below the stack limit. */
const MAX_DEPTH = 1000

/** Whether serializing a value could overflow the stack. Iterative for the same reason. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}

/** Characters the model generated in a block: text, thinking, tool names and input. Results of hosted tools do not count. */
export function countBlock(block: JsonObject): number {
  const input = block.input === undefined || isEmpty(block.input) ? 0 : measureText(block.input)
  const name = input > 0 || block.type === 'tool_use' ? textLength(block.name) : 0
  return textLength(block.text) + textLength(block.thinking) + name + input
}

/** Characters that one stream event adds to a block. */
export function countDelta(delta: JsonObject): number {
  return textLength(delta.text) + textLength(delta.thinking) + textLength(delta.partial_json)
}

// A stream opens a call with an empty object and sends the input in deltas.
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
