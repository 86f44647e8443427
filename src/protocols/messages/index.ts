import type { Protocol } from '../protocol.ts'
import { contracts } from './contract.ts'
import { tokenCounting } from './count-tokens.ts'
import { decodeError } from './decode-error.ts'
import { decodeReply } from './decode-reply.ts'
import { MessagesStreamDecoder } from './decode-stream.ts'
import { encodeRequest } from './encode-request.ts'
import { FORMAT } from './format.ts'
import { MESSAGES_PARAMETERS } from './parameters.ts'
import { readReply } from './read-reply.ts'
import { readRequest } from './read-request.ts'
import { frame } from './stream-error.ts'
import { MESSAGES_TOOL_RULES, MESSAGES_TRAITS } from './traits.ts'

export const messages: Protocol = {
  name: FORMAT,
  paths: ['/v1/messages'],
  contracts,
  readRequest,
  readReply,
  decodeError,
  dressError: (envelope, requestId) => ({ type: 'error', ...envelope, request_id: requestId }),
  supplier: {
    traits: MESSAGES_TRAITS,
    toolRules: MESSAGES_TOOL_RULES,
    parameters: MESSAGES_PARAMETERS,
    encodeRequest,
    decodeReply,
    openDecoder: (context) => new MessagesStreamDecoder(context),
  },
  tokenCounting,
  heartbeat: frame({ type: 'ping' }),
}
