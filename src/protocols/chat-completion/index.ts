import { errorEnvelope } from '../../errors/render-error.ts'
import type { Protocol } from '../protocol.ts'
import { decodeError } from './decode-error.ts'
import { readReply } from './read-reply.ts'
import { readRequest } from './read-request.ts'

export const chatCompletion: Protocol = {
  name: 'chat-completion',
  paths: ['/v1/chat/completions'],
  readRequest,
  readReply,
  decodeError,
  // No [DONE] follows: clients would take it for a good end.
  encodeStreamError: (error) => `data: ${JSON.stringify(errorEnvelope(error))}\n\n`,
  // A comment line without the blank line: some clients take a blank line after a comment for an empty event.
  heartbeat: ': ka\n',
}
