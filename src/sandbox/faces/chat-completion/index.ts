import type { Face } from '../face.ts'
import { encodeError, refuseKey } from '../openai-style.ts'
import { readBearer } from '../read-bearer.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeErrorFrame } from './encode-error.ts'
import { encodeReply } from './encode-reply.ts'
import { encodeFrames } from './encode-stream.ts'
import { listModels } from './list-models.ts'
import { checkRequest } from './schema.ts'

const MILLISECONDS_PER_SECOND = 1000

export const chatCompletion: Face = {
  name: 'chat-completion',
  home: '/v1/chat/',
  claims: (method, path) => method === 'POST' && path === '/v1/chat/completions',
  readKey: ({ headers }) => readBearer(headers),
  refuseKey,
  open({ body, callNumber, nowMs }) {
    const request = checkRequest(body)
    const head = {
      number: callNumber,
      id: `chatcmpl-sandbox-${callNumber}`,
      created: Math.floor(nowMs / MILLISECONDS_PER_SECOND),
      model: request.model,
    }
    const includeUsage = request.stream_options?.include_usage === true
    return {
      type: 'answer',
      ask: decodeRequest(request),
      stream: request.stream === true,
      writeReply: (performance) => encodeReply(performance, head),
      writeFrames: (performance) => encodeFrames(performance, head, includeUsage),
      writeErrorFrame: encodeErrorFrame,
    }
  },
  writeError: encodeError,
  list: listModels,
}
