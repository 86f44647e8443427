import type { Ask } from '../../performance/ask.ts'
import { SandboxError } from '../../sandbox-error.ts'
import type { Face, Incoming, Scene } from '../face.ts'
import { readBearer } from '../openai-style.ts'
import { decodePrompt } from './decode-request.ts'
import { type AnswerHead, encodeError, encodeErrorFrame, encodeFrames, encodeReply } from './encode-answer.ts'
import { checkThinking, FACE } from './history.ts'
import { checkCount, checkRequest, type MessagesRequest, refuseAt } from './schema.ts'

const ANSWER_PATH = '/v1/messages'
const COUNT_PATH = '/v1/messages/count_tokens'
/** From this version on the service takes no sampling parameters, not even at their defaults. */
const FIRST_VERSION_WITHOUT_SAMPLING = '2026-10-21'

export const messages: Face = {
  name: FACE,
  home: ANSWER_PATH,
  claims: (method, path) => method === 'POST' && (path === ANSWER_PATH || path === COUNT_PATH),
  readKey: ({ headers }) => headers.get('x-api-key') ?? readBearer(headers),
  refuseKey: () => new SandboxError('bad-key', 'invalid x-api-key'),
  open: (incoming) => {
    const version = incoming.headers.get('anthropic-version')
    if (version === null) throw refuseAt(['anthropic-version'], 'header is required')
    return incoming.path === COUNT_PATH ? openCount(incoming) : openAnswer(incoming, version)
  },
  writeError: encodeError,
}

function openCount({ body, seals }: Incoming): Scene {
  return {
    type: 'count',
    ask: decodePrompt(checkCount(body), seals),
    writeCount: (tokens) => ({ input_tokens: tokens }),
  }
}

function openAnswer({ body, callNumber, seals }: Incoming, version: string): Scene {
  const request = checkRequest(body)
  checkSampling(request, version)
  checkThinking(request)
  const head: AnswerHead = {
    number: callNumber,
    id: `msg_sandbox_${callNumber}`,
    model: request.model,
    seals,
    showsThoughts: request.thinking?.display !== 'omitted',
    marksCache: JSON.stringify(body).includes('"cache_control":{'),
  }
  return {
    type: 'answer',
    ask: { ...decodePrompt(request, seals), ...decodeBounds(request) },
    stream: request.stream === true,
    writeReply: (performance) => encodeReply(performance, head),
    writeFrames: (performance) => encodeFrames(performance, head),
    writeErrorFrame: encodeErrorFrame,
  }
}

function decodeBounds(request: MessagesRequest): Pick<Ask, 'maxOutputTokens' | 'stopSequences'> {
  const stopSequences = request.stop_sequences ?? []
  if (stopSequences.some((sequence) => sequence.trim() === ''))
    throw refuseAt(['stop_sequences'], 'each stop sequence must contain non-whitespace')
  return { maxOutputTokens: request.max_tokens, stopSequences }
}

function checkSampling(request: MessagesRequest, version: string): void {
  if (version < FIRST_VERSION_WITHOUT_SAMPLING) return
  const found = (['temperature', 'top_p', 'top_k'] as const).find((name) => request[name] !== undefined)
  if (found !== undefined) throw refuseAt([found], 'Extra inputs are not permitted')
}
