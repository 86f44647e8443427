import type { AnswerScene, Face, Incoming, Scene } from '../face.ts'
import { OPENAI_STYLE, toSeconds } from '../openai-style.ts'
import { withTrigger } from './compaction.ts'
import { decodeRequest } from './decode-request.ts'
import {
  type AnswerHead,
  encodeCompaction,
  encodeErrorFrame,
  encodeFrames,
  encodeReply,
} from './encode-answer.ts'
import { FACE } from './history.ts'
import { checkRequest } from './schema.ts'

const ANSWER_PATH = '/v1/responses'
const COUNT_PATH = '/v1/responses/input_tokens'
const COMPACT_PATH = '/v1/responses/compact'
const PATHS: readonly string[] = [ANSWER_PATH, COUNT_PATH, COMPACT_PATH]

export const responses: Face = {
  name: FACE,
  home: ANSWER_PATH,
  claims: (method, path) => method === 'POST' && PATHS.includes(path),
  ...OPENAI_STYLE,
  open: openScene,
}

function openScene(incoming: Incoming): Scene {
  const { path, callNumber, nowMs, seals } = incoming
  const body = path === COMPACT_PATH ? withTrigger(incoming.body) : incoming.body
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
  const scene = answer(ask, head)
  if (path !== COMPACT_PATH) return scene
  const writeReply: AnswerScene['writeReply'] = (performance) => encodeCompaction(performance, head)
  return { ...scene, stream: false, writeReply }
}

function answer(ask: AnswerScene['ask'], head: AnswerHead): AnswerScene {
  return {
    type: 'answer',
    ask,
    stream: head.request.stream === true,
    writeReply: (performance) => encodeReply(performance, head),
    writeFrames: (performance) => encodeFrames(performance, head),
    writeErrorFrame: encodeErrorFrame,
  }
}
