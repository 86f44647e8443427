import { newConversation } from '../../src/conversation/conversation.ts'
import { textPart } from '../../src/conversation/part.ts'

/** The smallest request: one short text of the user. */
export const PLAIN_CONVERSATION = newConversation({
  model: 'public-1',
  turns: [{ role: 'user', parts: [textPart('hi')] }],
})
