import type { Conversation, Turn } from '../../conversation/conversation.ts'
import type { Part } from '../../conversation/part.ts'

/**
 * The conversation without any signed thought and any other signature: what is left when a supplier does not know
 * the signatures of the one a conversation began with. What was said and called stays.
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
