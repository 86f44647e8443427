import { Refusal } from '../../refusal.ts'
import type { AnswerScene, Face, Incoming, Scene } from '../face.ts'
import { readBearer } from '../read-bearer.ts'
import { readAddress } from './address.ts'
import { decodeRequest } from './decode-request.ts'
import { type AnswerHead, encodeReply } from './encode-answer.ts'
import { encodeError, refuseKey } from './encode-error.ts'
import { EVENT_WRITER, encodeErrorFrame, encodeFrames, LIST_WRITER } from './encode-stream.ts'
import { listModels } from './list-models.ts'
import { decodeModalities } from './modalities.ts'
import { checkCount, checkGenerate, type GenerateRequest } from './schema.ts'
import { FACE, type SignatureRules } from './signatures.ts'

export const contentGeneration: Face = {
  name: FACE,
  home: '/v1beta/',
  claims: (method, path) => method === 'POST' && readAddress(path) !== null,
  readKey: ({ headers, url }) =>
    headers.get('x-goog-api-key') ?? new URL(url).searchParams.get('key') ?? readBearer(headers),
  refuseKey,
  open: openScene,
  writeError: encodeError,
  list: listModels,
}

function openScene(incoming: Incoming): Scene {
  const address = readAddress(incoming.path)
  if (address === null) throw new Refusal('unknown-path', `Unknown method: ${incoming.path}.`)
  const { model, method } = address
  const traits = incoming.traitsOf(model) ?? {}
  const rules = { model, seals: incoming.seals, isDemanded: traits.demandsSeals === true }
  if (method === 'countTokens') {
    const ask = decodeRequest(checkCount(incoming.body), rules)
    return { type: 'count', ask, writeCount: encodeCount }
  }
  const request = checkGenerate(incoming.body)
  const isStream = method === 'streamGenerateContent'
  const image = decodeModalities(request.generationConfig, traits)
  const ask = { ...decodeRequest(request, rules), ...(image === null ? {} : { image }) }
  return { ask, stream: isStream, ...stageAnswer(request, rules, incoming) }
}

function encodeCount(tokens: number) {
  return { totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] }
}

function stageAnswer(
  request: GenerateRequest,
  { model, seals, isDemanded }: SignatureRules,
  { callNumber, query }: Incoming,
): Omit<AnswerScene, 'ask' | 'stream'> {
  const head: AnswerHead = {
    number: callNumber,
    model,
    seals,
    showsThoughts: request.generationConfig?.thinkingConfig?.includeThoughts === true,
    namesCalls: isDemanded,
  }
  const writer = query.get('alt') === 'sse' ? EVENT_WRITER : LIST_WRITER
  return {
    type: 'answer',
    streamType: writer.streamType,
    writeReply: (performance) => encodeReply(performance, head),
    writeFrames: (performance) => encodeFrames(performance, head, writer),
    writeErrorFrame: (refusal, sentFrames) => encodeErrorFrame(refusal, sentFrames, writer),
  }
}
