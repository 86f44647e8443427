import type { Face, Incoming, Scene } from '../face.ts'
import { encodeError, refuseKey } from '../openai-style.ts'
import { readBearer } from '../read-bearer.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeErrorFrame, encodeFrames, encodeReply } from './encode-answer.ts'
import { type AnswerHead, FACE } from './head.ts'
import { checkRequest } from './schema.ts'

const MILLISECONDS_PER_SECOND = 1000
const ANSWER_PATH = '/v1/responses'
const COUNT_PATH = '/v1/responses/input_tokens'

export const responses: Face = {
  name: FACE,
  home: ANSWER_PATH,
  claims: (method, path) => method === 'POST' && (path === ANSWER_PATH || path === COUNT_PATH),
  readKey: ({ headers }) => readBearer(headers),
  refuseKey,
  open: openScene,
  writeError: encodeError,
}

function openScene({ path, body, callNumber, nowMs, seals }: Incoming): Scene {
  const request = checkRequest(body)
  const ask = decodeRequest(request, seals)
  if (path === COUNT_PATH) {
    const writeCount = (tokens: number) => ({ object: 'response.input_tokens', input_tokens: tokens })
    return { type: 'count', ask, writeCount }
  }
  const head: AnswerHead = {
    number: callNumber,
    id: `resp_sandbox_${callNumber}`,
    createdAt: Math.floor(nowMs / MILLISECONDS_PER_SECOND),
    request,
    seals,
  }
  return {
    type: 'answer',
    ask,
    stream: request.stream === true,
    writeReply: (performance) => encodeReply(performance, head),
    writeFrames: (performance) => encodeFrames(performance, head),
    writeErrorFrame: encodeErrorFrame,
  }
}
