import type { Members, Span } from '../../../wire/json-members.ts'
import { asObject, type JsonObject, textLength } from '../../../wire/json-values.ts'
import { checkMediaParts } from '../../request-limits.ts'
import { measureText } from '../measure.ts'
import { type AnyBlock, asKnownBlock, type CountTokensRequest, type MessagesContent } from './schema.ts'

/** The size of a prompt: characters of text, and the number of images and files. */
interface PromptSize {
  readonly promptCharacters: number
  readonly mediaParts: number
}

/** Tool definitions count by their length in the body text: they may nest too deeply to serialize. */
export function measurePrompt(request: CountTokensRequest, members: Members): PromptSize {
  const contents = [request.system, ...request.messages.map(({ content }) => content)]
  const { promptCharacters, mediaParts } = addUp(contents.map(measureContent))
  checkMediaParts(mediaParts, 'messages')
  const hasFormat = Boolean(request.output_config?.format)
  return {
    promptCharacters:
      promptCharacters +
      memberLength(members.get('tools')) +
      (hasFormat ? memberLength(members.get('output_config')) : 0),
    mediaParts,
  }
}

function measureContent(content: MessagesContent | null | undefined): PromptSize {
  if (typeof content === 'string') return onlyText(content.length)
  return addUp((content ?? []).map(measureBlock))
}

function measureBlock(block: AnyBlock): PromptSize {
  const known = asKnownBlock(block)
  switch (known?.type) {
    case 'text':
      return onlyText(known.text.length)
    case 'image':
      return ONE_MEDIUM
    case 'thinking':
      return onlyText(known.thinking.length)
    case 'redacted_thinking':
      return onlyText(0)
    case 'tool_use':
      return onlyText(known.name.length + measureText(known.input ?? {}))
    case 'tool_result':
      return measureResult(known.content)
    case undefined:
      return measureOther(block)
  }
}

// Results do not nest. A result inside a result counts like an unknown block.
function measureResult(content: MessagesContent | null | undefined): PromptSize {
  if (!Array.isArray(content)) return measureContent(content)
  return addUp(
    content.map((block) => (block.type === 'tool_result' ? measureOther(block) : measureBlock(block))),
  )
}

function measureOther(block: JsonObject): PromptSize {
  const source = asObject(block.source)
  const isMedium = source !== null && source.type !== 'text' && source.type !== 'content'
  if (!isMedium) return onlyText(measureText(block))
  return { promptCharacters: textLength(block.title) + textLength(block.context), mediaParts: 1 }
}

const ONE_MEDIUM: PromptSize = { promptCharacters: 0, mediaParts: 1 }

function onlyText(promptCharacters: number): PromptSize {
  return { promptCharacters, mediaParts: 0 }
}

function addUp(sizes: readonly PromptSize[]): PromptSize {
  let promptCharacters = 0
  let mediaParts = 0
  for (const size of sizes) {
    promptCharacters += size.promptCharacters
    mediaParts += size.mediaParts
  }
  return { promptCharacters, mediaParts }
}

function memberLength(span: Span | undefined): number {
  return span ? span.end - span.start : 0
}
