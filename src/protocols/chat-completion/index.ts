import { decodeErrorBody } from '../error-body.ts'
import type { Protocol } from '../protocol.ts'
import { shortenStream } from '../supplier-event.ts'
import { contracts } from './contract.ts'
import { CHAT_TOOL_RULES, CHAT_TRAITS, FORMAT } from './format.ts'
import { decodeReply, readEnding } from './reply/decode-reply.ts'
import { generatedText } from './reply/generated-text.ts'
import { readReply } from './reply/usage.ts'
import { encodeRequest } from './request/encode-request.ts'
import { CHAT_PARAMETERS } from './request/parameters.ts'
import { readRequest } from './request/read-request.ts'
import { ChatStreamDecoder } from './stream/decode-stream.ts'
import { findAddedText } from './stream/tap-usage.ts'

export { storedChats } from './stored.ts'
export { STORED_CHAT_CONTRACTS } from './stored-contract.ts'

export const chatCompletion: Protocol = {
  name: FORMAT,
  paths: ['/v1/chat/completions'],
  contracts,
  readRequest,
  readReply,
  generatedText,
  decodeError: decodeErrorBody,
  supplier: {
    traits: CHAT_TRAITS,
    toolRules: CHAT_TOOL_RULES,
    parameters: CHAT_PARAMETERS,
    encodeRequest,
    decodeReply,
    readEnding,
    openDecoder: (context) => new ChatStreamDecoder(context),
    shortenStream: (stream) => shortenStream(stream, { find: findAddedText, padding: 'obfuscation' }),
  },
  // No blank line after the comment: some clients would read it as an empty event.
  outputLimitName: 'max_tokens',
  heartbeat: ': ka\n',
}
