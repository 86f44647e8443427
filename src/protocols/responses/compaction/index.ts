import { compileCheck } from '../../../validation/validation.ts'
import { asText, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import { joinPieces } from '../../../wire/pieced-body.ts'
import type {
  CompactionRequest,
  CompactionRules,
  CompactionSealer,
  NativeCompaction,
} from '../../protocol.ts'
import type { ClientSide } from '../../translation.ts'
import { encodeReply } from '../reply/encode-reply.ts'
import { decodeRequest } from '../request/decode-request.ts'
import { inputItemsOf } from '../request/input-items.ts'
import { readRequest } from '../request/read-request.ts'
import { validateRequest } from '../request/validate.ts'
import { CompactRequestSchema, type ResponsesRequest } from '../schema.ts'
import { shownStateOf } from '../state.ts'
import { ResponsesEncoder } from '../stream/encode-stream.ts'
import {
  CompactionEncoder,
  compactAnswer,
  compactionObject,
  isCompacted,
  sealNativeReply,
} from './compacted-reply.ts'
import { isConcerned, isTriggered, openItems, withoutTrigger } from './compaction-items.ts'
import { summaryRequest } from './summary-request.ts'

const checkShape = compileCheck(CompactRequestSchema)

/** How conversations of this format are replaced by something shorter. */
export const compaction: CompactionRules = {
  paths: ['/v1/responses/compact'],
  check,
  isConcerned,
  isTriggered,
  open: openItems,
  read,
  isCompacted,
}

/** The body of the endpoint as a request for an answer, which it otherwise equals. */
function check(body: unknown): unknown {
  const given = checkShape(body) as JsonObject
  const input = withoutTrigger(inputItemsOf(given))
  const request: JsonObject = { ...given, input, store: false, stream: false }
  // With `previous_response_id`, the input may be missing.
  if (input.length > 0 || asText(given.previous_response_id) === null) validateRequest(request)
  return request
}

function read(opened: unknown, body: unknown, sealer: CompactionSealer): CompactionRequest {
  const isForAnswer = isTriggered(body)
  const request = validateRequest(opened)
  const summarizing = summaryRequest(opened)
  const text = JSON.stringify(summarizing)
  const summary = readRequest(summarizing, text)
  const stream = isForAnswer && request.stream === true
  return {
    request: {
      ...summary,
      facts: { ...summary.facts, stream },
      // Only the gateway can turn the summary into an item.
      isRelayable: false,
      shownState: shownStateOf(request),
      client: isForAnswer
        ? answerSide(request, { ...summarizing, stream }, sealer)
        : objectSide(body, summarizing, sealer),
    },
    text,
    body: summarizing,
    native: isForAnswer ? nativeAnswer(request, sealer) : nativeObject(request, sealer),
  }
}

/** The client side of a request for an answer that asks for a compaction. */
function answerSide(
  request: ResponsesRequest,
  summarizing: JsonObject,
  { seal }: CompactionSealer,
): ClientSide {
  return {
    decode: () => decodeRequest(summarizing as ResponsesRequest),
    encodeReply: (answer, context) => encodeReply(request, compactAnswer(answer, context, seal), context),
    openEncoder: (context) => new CompactionEncoder(new ResponsesEncoder(request, context), context, seal),
  }
}

function objectSide(body: unknown, summarizing: JsonObject, { seal }: CompactionSealer): ClientSide {
  return {
    decode: () => decodeRequest(summarizing as ResponsesRequest),
    encodeReply: (answer, context) => compactionObject(answer, context, { body, seal }),
    openEncoder: () => {
      throw new Error('the endpoint does not stream')
    },
  }
}

function nativeAnswer(request: ResponsesRequest, sealer: CompactionSealer): NativeCompaction {
  const text = JSON.stringify({ ...request, stream: false })
  return {
    hasEndpoint: false,
    body: (upstreamModel) => joinPieces(readRequest(JSON.parse(text), text).relayBody(upstreamModel)),
    readReply: sealed(sealer),
    client: {
      decode: () => decodeRequest(request),
      encodeReply: (answer, context) => encodeReply(request, answer, context),
      openEncoder: (context) => new ResponsesEncoder(request, context),
    },
  }
}

/** The endpoint has no streams and stores nothing, so it does not know these members. */
function nativeObject(request: ResponsesRequest, sealer: CompactionSealer): NativeCompaction {
  const { store: _store, stream: _stream, previous_response_id: _previous, ...rest } = request
  return {
    hasEndpoint: true,
    body: (upstreamModel) => JSON.stringify({ ...rest, model: upstreamModel }),
    readReply: sealed(sealer),
    client: objectSide(request, {}, sealer),
  }
}

function sealed({ seal }: CompactionSealer): NativeCompaction['readReply'] {
  return (text, supplier) => {
    const reply = sealNativeReply(tryParseJson(text), supplier, seal)
    return reply === null ? null : JSON.stringify(reply)
  }
}
