import { openingText } from '../../../conversation/opening.ts'
import { mayCarryEnvelope } from '../../../conversation/proof.ts'
import { type Members, replaceInPieces, TopLevelMembers } from '../../../wire/json-members.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import type { TextPieces } from '../../../wire/pieced-body.ts'
import type { ClientRequest, CountRequest, OwnCompaction, TokenCounting } from '../../protocol.ts'
import type { ClientSide } from '../../translation.ts'
import { encodeReply } from '../reply/encode-reply.ts'
import { MessagesStreamEncoder } from '../stream/encode-stream.ts'
import { UsageTap } from '../stream/tap-usage.ts'
import { asksForThoughts, ThoughtlessEncoder, withoutThoughts } from '../thoughts.ts'
import { decodeRequest, decodeSettings } from './decode-request.ts'
import { measurePrompt } from './measure-prompt.ts'
import type { MessagesRequest } from './schema.ts'
import { validateCount, validateRequest } from './validate.ts'

/** Checks and reads a parsed body. `text` is the unparsed body. */
export function readRequest(body: unknown, text: string): ClientRequest {
  const request = validateRequest(body)
  const members = new TopLevelMembers(text, request)
  return {
    longStrings: members.longStrings,
    facts: {
      model: request.model,
      stream: request.stream === true,
      ...measurePrompt(request, members),
      maxOutputTokens: request.max_tokens,
      choices: 1,
    },
    relayBody: prepareRelay(request.model, text, members),
    openTap: (requestId) => new UsageTap(request.model, requestId),
    conversationHint: () =>
      request.metadata?.user_id ?? openingText([request.system, ...request.messages.slice(0, 1)]),
    isRelayable: !mayCarryEnvelope(text),
    ownCompaction: ownCompaction(asObject(body) ?? {}),
    client: clientOf(request),
  }
}

function clientOf(request: MessagesRequest): ClientSide {
  const decoding = { decode: () => decodeRequest(request), decodeSettings: () => decodeSettings(request) }
  if (asksForThoughts(request)) {
    return { ...decoding, encodeReply, openEncoder: (context) => new MessagesStreamEncoder(context) }
  }
  return {
    ...decoding,
    encodeReply: (answer, context) => encodeReply(withoutThoughts(answer), context),
    openEncoder: (context) => new ThoughtlessEncoder(new MessagesStreamEncoder(context)),
  }
}

// As the vendor documents it.
const USUAL_THRESHOLD_TOKENS = 150_000

function ownCompaction({ compaction, context_management }: JsonObject): OwnCompaction | null {
  if (asObject(compaction) !== null) return { param: 'compaction', fromTokens: 0 }
  const edits = asArray(asObject(context_management)?.edits).map((edit) => asObject(edit))
  const edit = edits.find((each) => asText(each?.type)?.startsWith('compact_'))
  if (!edit) return null
  const tokens = asObject(edit.trigger)?.value
  const fromTokens = typeof tokens === 'number' ? tokens : USUAL_THRESHOLD_TOKENS
  return { param: 'context_management', fromTokens }
}

export const tokenCounting: TokenCounting = {
  paths: ['/v1/messages/count_tokens'],
  read: readCount,
  asksSupplier: true,
  decode: (body) => {
    const tokens = asObject(body)?.input_tokens
    return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
  },
}

function readCount(body: unknown, text: string): CountRequest {
  const request = validateCount(body)
  const members = new TopLevelMembers(text, request)
  return {
    facts: { model: request.model, ...measurePrompt(request, members) },
    relayBody: prepareRelay(request.model, text, members),
    encode: (tokens) => ({ input_tokens: tokens }),
  }
}

/** The client's body with only the model name replaced. */
function prepareRelay(model: string, text: string, members: Members): (upstreamModel: string) => TextPieces {
  const span = members.get('model')
  return (upstreamModel) => {
    if (span === undefined || upstreamModel === model) return [text]
    return replaceInPieces(text, [{ span, json: JSON.stringify(upstreamModel) }])
  }
}
