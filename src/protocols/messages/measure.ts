import { type JsonObject, textLength } from '../../wire/json-values.ts'

/**
 * About how many characters a JSON value takes when written: its texts and names, and two marks for each.
 * It walks instead of recursing or writing the value out: a body may nest deeper than the stack.
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

/** Far more than any schema or tool input has; far less than the stack holds. */
const DEEPEST = 1000

/** Whether writing a parsed value out again could exhaust the stack. It walks instead of recursing, for the same reason. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}

/** Characters a model wrote into a block: text, thinking, tool names and input. What a supplier's tool gave is not its own. */
export function countBlock(block: JsonObject): number {
  const input = block.input === undefined || isEmpty(block.input) ? 0 : measureText(block.input)
  const name = input > 0 || block.type === 'tool_use' ? textLength(block.name) : 0
  return textLength(block.text) + textLength(block.thinking) + name + input
}

/** Characters that one event of a stream adds to a block. */
export function countDelta(delta: JsonObject): number {
  return textLength(delta.text) + textLength(delta.thinking) + textLength(delta.partial_json)
}

// A stream opens a call with an empty object and sends the input after it.
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
