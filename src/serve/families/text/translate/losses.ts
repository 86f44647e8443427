import type { Conversation, Turn } from '../../../../conversation/conversation.ts'
import { type OpaquePart, type Part, type TextPart, textPart } from '../../../../conversation/part.ts'
import { GatewayError } from '../../../../errors/gateway-error.ts'

/** What a user's question is about, in the words of any format. Anything else unknown may be left out. */
const MATTER: ReadonlySet<string> = new Set([
  'document',
  'file',
  'image',
  'input_audio',
  'input_file',
  'input_image',
  'search_result',
  'container_upload',
])

/**
 * Refuses a request that would mean something else in this format: without the file it is about, or with nothing in it
 * at all. Another supplier may accept it.
 */
export function refuseLosses({ instructions, turns }: Conversation, format: string): void {
  if (turns.length === 0 && instructions.length === 0) {
    throw new GatewayError('invalid_request', 'The conversation has no content to answer.')
  }
  refuseUnreadable(turns, format)
  const asked = turns.flatMap(({ role, parts }) => (role === 'user' ? parts : []))
  const lost = asked.find((part): part is OpaquePart => isMatter(part) && part.format !== format)
  if (lost === undefined) return
  const message = `This model takes no content of type "${lost.kind}". Remove it, or choose another model.`
  throw new GatewayError('unsupported_parameter', message, { param: lost.kind })
}

/** The conversation with foreign content as text, where it consists of nothing else. */
export function withTextOf(conversation: Conversation, format: string): Conversation {
  const isForeign = (part: Part) =>
    part.type === 'opaque' && part.format !== format && part.text !== undefined
  const hasForeign = conversation.turns.some(({ parts }) =>
    parts.some((part) => isForeign(part) || (part.type === 'tool-result' && part.parts.some(isForeign))),
  )
  if (!hasForeign) return conversation
  const asText = <Kind extends Part>(part: Kind): Kind | TextPart =>
    isForeign(part) && part.type === 'opaque' ? textPart(part.text ?? '') : part
  const turns = conversation.turns.map((turn) => ({
    ...turn,
    parts: turn.parts.map((part) =>
      part.type === 'tool-result'
        ? { ...part, parts: part.parts.map((inner) => asText(inner)) }
        : asText(part),
    ),
  }))
  return { ...conversation, turns }
}

/** Without it the model would know nothing of the conversation before it. */
function refuseUnreadable(turns: readonly Turn[], format: string): void {
  const isUnreadable = (part: Part) =>
    part.type === 'opaque' && part.kind === 'compaction' && part.format !== format
  if (!turns.some(({ parts }) => parts.some(isUnreadable))) return
  const message =
    'The conversation has a compaction item that only the supplier that made it can read, and that supplier does not serve this model here. Compact the conversation again with this model.'
  throw new GatewayError('invalid_request', message, { param: 'compaction' })
}

function isMatter(part: Part): part is OpaquePart {
  return part.type === 'opaque' && MATTER.has(part.kind)
}

/**
 * The conversation without signed thoughts and other signatures, for a supplier that does not know the signatures of the
 * supplier before it. Texts and calls stay.
 */
export function withoutProofs(conversation: Conversation): Conversation {
  return {
    ...conversation,
    turns: conversation.turns.map(turnWithoutProofs).filter(({ parts }) => parts.length > 0),
  }
}

function turnWithoutProofs(turn: Turn): Turn {
  return { ...turn, parts: turn.parts.flatMap(withoutProof) }
}

function withoutProof(part: Part): Part[] {
  switch (part.type) {
    case 'thinking':
      return part.proof === null ? [part] : []
    case 'text':
    case 'tool-call':
      return [part.proof === null ? part : { ...part, proof: null }]
    default:
      return [part]
  }
}

const MAX_NAME_CHARACTERS = 64
const MAX_NAMES = 50

/**
 * Names of parameters as a response header can carry them. The client may have made up unknown fields, with any
 * characters, length and number.
 */
export function droppedNames(names: readonly string[]): string[] {
  return names.slice(0, MAX_NAMES).map((name) =>
    name
      .slice(0, MAX_NAME_CHARACTERS)
      .toWellFormed()
      .replaceAll(/[^!-+\--~]/gu, encodeURIComponent),
  )
}
