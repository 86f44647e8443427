import type { Protocol } from '../protocol.ts'
import { shortenStream } from '../supplier-event.ts'
import { MESSAGES_BETAS } from './betas/withhold.ts'
import { contracts } from './contract.ts'
import { FORMAT } from './format.ts'
import { decodeError } from './reply/decode-error.ts'
import { decodeReply, readEnding, readReply } from './reply/decode-reply.ts'
import { dressError } from './reply/dress-error.ts'
import { generatedText } from './reply/generated-text.ts'
import { encodeRequest } from './request/encode-request.ts'
import { MESSAGES_PARAMETERS } from './request/parameters.ts'
import { readRequest, tokenCounting } from './request/read-request.ts'
import { MessagesStreamDecoder } from './stream/decode-stream.ts'
import { frame } from './stream/encode-stream.ts'
import { findAddedText } from './stream/tap-usage.ts'
import { MESSAGES_TOOL_RULES, MESSAGES_TRAITS } from './traits.ts'

export const messages: Protocol = {
  name: FORMAT,
  paths: ['/v1/messages'],
  contracts,
  readRequest,
  readReply,
  generatedText,
  decodeError,
  dressError,
  supplier: {
    traits: MESSAGES_TRAITS,
    toolRules: MESSAGES_TOOL_RULES,
    parameters: MESSAGES_PARAMETERS,
    betas: MESSAGES_BETAS,
    encodeRequest,
    decodeReply,
    readEnding,
    openDecoder: (context) => new MessagesStreamDecoder(context),
    shortenStream: (stream) => shortenStream(stream, { find: findAddedText }),
  },
  tokenCounting,
  outputLimitName: 'max_tokens',
  heartbeat: frame({ type: 'ping' }),
}
