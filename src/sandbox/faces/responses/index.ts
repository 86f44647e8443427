import type { Face, Incoming, Scene } from '../face.ts'
import { OPENAI_STYLE, toSeconds } from '../openai-style.ts'
import { decodeRequest } from './decode-request.ts'
import { type AnswerHead, encodeErrorFrame, encodeFrames, encodeReply } from './encode-answer.ts'
import { FACE } from './history.ts'
import { checkRequest } from './schema.ts'

const ANSWER_PATH = '/v1/responses'
const COUNT_PATH = '/v1/responses/input_tokens'

export const responses: Face = {
  name: FACE,
  home: ANSWER_PATH,
  claims: (method, path) => method === 'POST' && (path === ANSWER_PATH || path === COUNT_PATH),
  ...OPENAI_STYLE,
  open: openScene,
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
    createdAt: toSeconds(nowMs),
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
