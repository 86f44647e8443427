import { SandboxError } from '../../sandbox-error.ts'
import type { Catalog, Face } from '../face.ts'
import { OPENAI_STYLE, toSeconds } from '../openai-style.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeErrorFrame, encodeFrames, encodeReply } from './encode-answer.ts'
import { checkRequest } from './schema.ts'

export const chatCompletion: Face = {
  name: 'chat-completion',
  home: '/v1/chat/',
  claims: (method, path) => method === 'POST' && path === '/v1/chat/completions',
  ...OPENAI_STYLE,
  open({ body, callNumber, nowMs }) {
    const request = checkRequest(body)
    const head = {
      number: callNumber,
      id: `chatcmpl-sandbox-${callNumber}`,
      created: toSeconds(nowMs),
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
  list: listModels,
}

const PATH = /^\/v1\/models(?:\/(.*))?$/

/** `GET /v1/models` and `GET /v1/models/{id}`. */
function listModels(path: string, { models, startedAtMs }: Catalog): unknown {
  const match = PATH.exec(path)
  if (match === null) return null
  const described = models.map(({ model }) => describeModel(model, startedAtMs))
  const wanted = match[1] ?? ''
  if (wanted === '') return { object: 'list', data: described }
  const model = described.find(({ id }) => id === wanted)
  if (model !== undefined) return model
  throw new SandboxError('unknown-model', `The model '${wanted}' does not exist.`, { field: 'model' })
}

function describeModel(id: string, startedAtMs: number) {
  return { id, object: 'model', created: toSeconds(startedAtMs), owned_by: 'sandbox' }
}
