import { type Conversation, NO_SAMPLING } from '../../src/conversation/conversation.ts'
import { textPart } from '../../src/conversation/part.ts'

/** The least a client can ask: one short text of the user's, and nothing else said. */
export const PLAIN_CONVERSATION: Conversation = {
  model: 'public-1',
  stream: false,
  instructions: [],
  turns: [{ role: 'user', parts: [textPart('hi')] }],
  tools: [],
  toolChoice: null,
  parallelTools: null,
  sampling: NO_SAMPLING,
  maxOutputTokens: null,
  choices: 1,
  reasoning: null,
  output: { type: 'text' },
  topLogprobs: null,
  verbosity: null,
  endUser: null,
  cacheKey: null,
  metadata: null,
  extras: {},
}
