import { DEFAULT_TRAITS } from '../../vocabulary/runtime/traits.ts'
import { decodeErrorBody } from '../error-body.ts'
import type { Protocol } from '../protocol.ts'
import { contracts } from './contract.ts'
import { CompletionStreamDecoder } from './decode-stream.ts'
import { encodeRequest } from './encode-request.ts'
import { FORMAT } from './format.ts'
import { COMPLETION_PARAMETERS } from './parameters.ts'
import { readRequest } from './read-request.ts'
import { decodeReply, generatedText, readReply } from './reply.ts'

/** Text completions: the continuation of a text. Other formats are never translated to this one. */
export const completions: Protocol = {
  name: FORMAT,
  paths: ['/v1/completions'],
  contracts,
  relayCapability: FORMAT,
  readRequest,
  readReply,
  generatedText,
  decodeError: decodeErrorBody,
  supplier: {
    traits: DEFAULT_TRAITS,
    // There are no tools in this format.
    toolRules: { name: /^/, callId: /^/, hasCustomTools: true, hasNamespaces: true },
    parameters: COMPLETION_PARAMETERS,
    encodeRequest,
    decodeReply,
    openDecoder: () => new CompletionStreamDecoder(),
  },
  outputLimitName: 'max_tokens',
  heartbeat: ': ka\n',
}
