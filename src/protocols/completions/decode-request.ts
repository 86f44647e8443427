import type { Conversation } from '../../conversation/conversation.ts'
import { newConversation } from '../../conversation/conversation.ts'
import { textPart } from '../../conversation/part.ts'
import { FORMAT } from './format.ts'
import { PARAMETERS } from './parameters.ts'
import type { CompletionRequest } from './schema.ts'

/** Fields that the conversation has members for, or that mean nothing to a supplier. All others become extras. */
const DECODED: ReadonlySet<string> = new Set([
  ...Object.keys(PARAMETERS.members),
  'model',
  'prompt',
  'stream',
  'stream_options',
  'echo',
])

/** The prompts as texts; null when they are tokens, which only models with the same tokens can read. */
export function promptTexts({ prompt }: CompletionRequest): readonly string[] | null {
  if (typeof prompt === 'string') return [prompt]
  if (prompt === null || prompt === undefined) return ['']
  return prompt.every((each) => typeof each === 'string') ? prompt : null
}

/** One prompt as a conversation: what the user says. */
export function decodePrompt(request: CompletionRequest, prompt: string): Conversation {
  return newConversation({
    ...PARAMETERS.decode(request),
    model: request.model,
    stream: request.stream === true,
    turns: prompt === '' ? [] : [{ role: 'user', parts: [textPart(prompt)] }],
    extras: decodeExtras(request),
  })
}

function decodeExtras(request: CompletionRequest): Conversation['extras'] {
  const choices = request.n ?? 1
  const extra = Object.entries(request).filter(
    ([name, value]) =>
      !DECODED.has(name) &&
      value !== null &&
      value !== undefined &&
      // The best of as many as are wanted are all of them.
      !(name === 'best_of' && value === choices) &&
      !(name === 'suffix' && value === ''),
  )
  return extra.length === 0 ? {} : { [FORMAT]: Object.fromEntries(extra) }
}
