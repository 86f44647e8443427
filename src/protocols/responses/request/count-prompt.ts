import { findTopLevelMembers, type Span } from '../../../wire/json-members.ts'
import { isObject } from '../../../wire/json-values.ts'
import { checkMediaParts } from '../../request-limits.ts'
import type { ResponsesRequest } from '../schema.ts'
import { inputItemsOf } from './input-items.ts'

/** Members that say how an item is kept and linked, not what is in it. */
const NOT_TEXT: ReadonlySet<string> = new Set([
  'type',
  'id',
  'role',
  'status',
  'phase',
  'call_id',
  'encrypted_content',
  'prompt_cache_breakpoint',
  'annotations',
  'logprobs',
])
const MEDIA: ReadonlySet<unknown> = new Set([
  'input_image',
  'input_file',
  'input_audio',
  'computer_screenshot',
  'image_generation_call',
])

export interface PromptSize {
  readonly promptCharacters: number
  readonly mediaParts: number
}

/** Definitions are counted by their length in the text: they may nest too deeply to be written out again. */
export function countPrompt(request: ResponsesRequest, text: string): PromptSize {
  const members = findTopLevelMembers(text)
  const input = countInput(inputItemsOf(request))
  checkMediaParts(input.mediaParts, 'input')
  const format = request.text?.format?.type === 'json_schema' ? memberLength(members.get('text')) : 0
  return {
    promptCharacters:
      input.promptCharacters +
      (request.instructions?.length ?? 0) +
      (request.tools?.length ? memberLength(members.get('tools')) : 0) +
      format,
    mediaParts: input.mediaParts,
  }
}

/** Counts every text within the items, known or not. Walks instead of recursing: a body may nest deeper than the stack. */
function countInput(items: readonly unknown[]): PromptSize {
  let promptCharacters = 0
  let mediaParts = 0
  const waiting: unknown[] = [...items]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string') promptCharacters += value.length
    else if (Array.isArray(value)) pushAll(waiting, value)
    else if (isObject(value)) {
      if (MEDIA.has(value.type)) mediaParts++
      else pushTexts(waiting, value)
    }
  }
  return { promptCharacters, mediaParts }
}

function pushTexts(waiting: unknown[], value: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(value)) if (!NOT_TEXT.has(name)) waiting.push(value[name])
}

// Spreading a very long array into a call would overflow the stack.
function pushAll(waiting: unknown[], values: readonly unknown[]): void {
  for (const value of values) waiting.push(value)
}

function memberLength(span: Span | undefined): number {
  return span ? span.end - span.start : 0
}
