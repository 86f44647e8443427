import { isObject } from '../../../wire/json-values.ts'
import { openingText, upToFirst } from '../../opening.ts'
import type { ClientRequest, CountRequest } from '../../protocol.ts'
import type { ClientSide } from '../../translation.ts'
import { encodeReply } from '../reply/encode-reply.ts'
import type { ResponsesRequest } from '../schema.ts'
import { ResponsesEncoder } from '../stream/encode-stream.ts'
import { UsageTap } from '../stream/tap-usage.ts'
import { countPrompt } from './count-prompt.ts'
import { decodeRequest } from './decode-request.ts'
import { isRelayable, prepareRelay } from './relay-body.ts'
import { validateRequest } from './validate.ts'

/** Checks and reads a parsed body. `text` is what was parsed. */
export function readRequest(body: unknown, text: string): ClientRequest {
  const request = validateRequest(body)
  return {
    facts: {
      model: request.model,
      stream: request.stream === true,
      ...countPrompt(request, text),
      maxOutputTokens: request.max_output_tokens ?? null,
      choices: 1,
    },
    relayBody: prepareRelay(request, text),
    openTap: () => new UsageTap(request.previous_response_id ?? null),
    previousId: request.previous_response_id ?? null,
    conversationHint: () => request.prompt_cache_key ?? openingText(openingOf(request)),
    client: clientSide(request),
    isRelayable: isRelayable(request),
  }
}

function openingOf({ instructions, input }: ResponsesRequest): readonly unknown[] {
  const items = typeof input === 'string' ? [input] : (input ?? [])
  return [instructions, ...upToFirst<unknown>(items, isQuestion)]
}

function isQuestion(item: unknown): boolean {
  return typeof item === 'string' || (isObject(item) && item.role === 'user')
}

function clientSide(request: ResponsesRequest): ClientSide {
  return {
    decode: () => decodeRequest(request),
    encodeReply: (answer, context) => encodeReply(request, answer, context),
    openEncoder: (context) => new ResponsesEncoder(request, context),
  }
}

/** Reads a question for the size of a prompt. */
export function readCount(body: unknown, text: string): CountRequest {
  const request = validateRequest(body)
  return {
    facts: { model: request.model, ...countPrompt(request, text) },
    relayBody: prepareRelay(request, text),
    encode: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  }
}
