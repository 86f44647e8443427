import type { Conversation } from '../../conversation/conversation.ts'
import type { OpaquePart, Part } from '../../conversation/part.ts'
import { GatewayError } from '../../errors/gateway-error.ts'

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
 * Refuses what would reach a supplier of this format as another question: without the file it is about, or with
 * nothing in it at all. Another supplier may take it.
 */
export function refuseLosses({ instructions, turns }: Conversation, format: string): void {
  if (turns.length === 0 && instructions.length === 0) {
    throw new GatewayError('invalid_request', 'The conversation has no content to answer.')
  }
  const asked = turns.flatMap(({ role, parts }) => (role === 'user' ? parts : []))
  const lost = asked.find((part): part is OpaquePart => isMatter(part) && part.format !== format)
  if (lost === undefined) return
  throw new GatewayError('unsupported_parameter', `This model takes no content of type "${lost.kind}".`, {
    param: lost.kind,
  })
}

function isMatter(part: Part): part is OpaquePart {
  return part.type === 'opaque' && MATTER.has(part.kind)
}
