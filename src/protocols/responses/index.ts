import { asObject } from '../../wire/json-values.ts'
import type { Protocol, TokenCounting } from '../protocol.ts'
import type { SupplierSide } from '../translation.ts'
import { compaction } from './compaction/index.ts'
import { contracts } from './contract.ts'
import { FORMAT, RESPONSES_TOOL_RULES, RESPONSES_TRAITS } from './format.ts'
import { decodeError } from './reply/decode-error.ts'
import { decodeReply, readEnding } from './reply/decode-reply.ts'
import { generatedText } from './reply/generated-text.ts'
import { readReply } from './reply/usage.ts'
import { encodeRequest } from './request/encode-request.ts'
import { RESPONSES_PARAMETERS } from './request/parameters.ts'
import { readCount, readRequest } from './request/read-request.ts'
import { patchResponse, state } from './state.ts'
import { ResponsesDecoder } from './stream/decode-stream.ts'

export { KEPT_CONTRACTS, SOCKET_CONTRACT } from './contract.ts'
export { CONVERSATION_CONTRACTS } from './conversation-contract.ts'

const supplier: SupplierSide = {
  traits: RESPONSES_TRAITS,
  toolRules: RESPONSES_TOOL_RULES,
  parameters: RESPONSES_PARAMETERS,
  encodeRequest,
  decodeReply,
  readEnding,
  openDecoder: (context) => new ResponsesDecoder(context),
}

const tokenCounting: TokenCounting = {
  paths: ['/v1/responses/input_tokens'],
  read: readCount,
  asksSupplier: false,
  decode: (body) => {
    const tokens = asObject(body)?.input_tokens
    return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
  },
}

export const responses: Protocol = {
  name: FORMAT,
  paths: ['/v1/responses'],
  contracts,
  readRequest,
  readReply,
  generatedText,
  decodeError,
  patchReply: patchResponse,
  supplier,
  tokenCounting,
  state,
  compaction,
  // No blank line after the comment: some clients would read it as an empty event.
  outputLimitName: 'max_output_tokens',
  heartbeat: ': ka\n',
}
