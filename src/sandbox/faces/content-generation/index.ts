import { SandboxError } from '../../sandbox-error.ts'
import type { AnswerScene, Catalog, Face, Incoming, Scene } from '../face.ts'
import { readBearer } from '../openai-style.ts'
import { decodeModalities, decodeRequest } from './decode-request.ts'
import {
  type AnswerHead,
  EVENT_WRITER,
  encodeError,
  encodeErrorFrame,
  encodeFrames,
  encodeReply,
  LIST_WRITER,
  refuseKey,
} from './encode-answer.ts'
import { FACE, type SignatureRules } from './history.ts'
import { checkCount, checkGenerate, type GenerateRequest } from './schema.ts'

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
  if (address === null) throw new SandboxError('unknown-path', `Unknown method: ${incoming.path}.`)
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

// Newer official clients call `/v1`.
const CALL =
  /^\/v1(?:beta)?\/(?:models|tunedModels)\/(.+):(generateContent|streamGenerateContent|countTokens)$/

type Method = 'generateContent' | 'streamGenerateContent' | 'countTokens'

/** Model and method stand in the path; the model may itself hold colons and slashes. */
export function readAddress(path: string): { readonly model: string; readonly method: Method } | null {
  const match = CALL.exec(path)
  if (match?.[1] === undefined) return null
  return { model: decode(match[1]), method: match[2] as Method }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const PATH = /^\/v1beta\/models(?:\/([^:]+))?$/

/** `GET /v1beta/models` and `GET /v1beta/models/{model}`. */
export function listModels(path: string, { models }: Catalog): unknown {
  const match = PATH.exec(path)
  if (match === null) return null
  const described = models.map(describeModel)
  const wanted = match[1]
  if (wanted === undefined) return { models: described }
  const model = described.find(({ name }) => name === `models/${wanted}`)
  if (model !== undefined) return model
  throw new SandboxError('unknown-model', `models/${wanted} is not found for API version v1beta.`)
}

function describeModel({ model, summary }: Catalog['models'][number]) {
  return {
    name: `models/${model}`,
    version: '1',
    displayName: model,
    description: summary,
    inputTokenLimit: 128_000,
    outputTokenLimit: 16_384,
    supportedGenerationMethods: ['generateContent', 'countTokens', 'streamGenerateContent'],
  }
}
