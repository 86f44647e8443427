import { mayCarryEnvelope } from '../../../conversation/proof.ts'
import { findTopLevelMembers } from '../../../wire/json-members.ts'
import { openingText } from '../../opening.ts'
import type { ClientRequest } from '../../protocol.ts'
import { encodeReply } from '../reply/encode-reply.ts'
import { MessagesStreamEncoder } from '../stream/encode-stream.ts'
import { UsageTap } from '../stream/tap-usage.ts'
import { measurePrompt } from './count-prompt.ts'
import { decodeRequest } from './decode-request.ts'
import { prepareRelay } from './relay-body.ts'
import { validateRequest } from './validate.ts'

/** Checks and reads a parsed body. `text` is what was parsed. */
export function readRequest(body: unknown, text: string): ClientRequest {
  const request = validateRequest(body)
  const members = findTopLevelMembers(text)
  return {
    facts: {
      model: request.model,
      stream: request.stream === true,
      ...measurePrompt(request, members),
      maxOutputTokens: request.max_tokens,
      choices: 1,
    },
    relayBody: prepareRelay(request.model, text, members),
    openTap: () => new UsageTap(request.model),
    conversationHint: () =>
      request.metadata?.user_id ?? openingText([request.system, ...request.messages.slice(0, 1)]),
    isRelayable: !mayCarryEnvelope(text),
    client: {
      decode: () => decodeRequest(request),
      encodeReply,
      openEncoder: (context) => new MessagesStreamEncoder(context),
    },
  }
}
