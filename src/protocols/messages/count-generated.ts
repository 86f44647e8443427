import { type JsonObject, textLength } from '../../wire/json-values.ts'
import { measureText } from './measure-text.ts'

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
