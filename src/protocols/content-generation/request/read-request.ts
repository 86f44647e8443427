import { openingText } from '../../../conversation/opening.ts'
import { openProof } from '../../../conversation/proof.ts'
import { findTopLevelMembers, type Span } from '../../../wire/json-members.ts'
import { asObject } from '../../../wire/json-values.ts'
import type {
  ClientRequest,
  CountRequest,
  RequestAddress,
  RequestFacts,
  TokenCounting,
} from '../../protocol.ts'
import { checkMediaParts } from '../../request-limits.ts'
import type { ClientSide } from '../../translation.ts'
import { type ModelMethod, readModelMethod, readStreamShape, type StreamShape } from '../address.ts'
import { countContents, countInstruction, countMedia } from '../measure.ts'
import { encodeReply } from '../reply/encode-reply.ts'
import { GenerationEncoder } from '../stream/encode-stream.ts'
import { GenerationTap } from '../stream/tap-usage.ts'
import { decodeRequest, decodeSettings } from './decode-request.ts'
import type { GenerateRequest } from './schema.ts'
import { validateCount, validateRequest } from './validate.ts'

/** Checks and reads a parsed body. `text` is the unparsed body; the model and the method are in the path. */
export function readRequest(body: unknown, text: string, address: RequestAddress): ClientRequest {
  const target = readModelMethod(address, 'generate')
  const shape = readStreamShape(address)
  const request = validateRequest(body)
  const facts = readFacts(request, text, target)
  // Suppliers of this format are always asked for server-sent events.
  const isList = facts.stream && shape === 'json'
  return {
    facts,
    // The model is in the path, so the body is relayed unchanged.
    relayBody: () => [text],
    openTap: () => new GenerationTap(),
    conversationHint: () => openingText([request.systemInstruction, ...request.contents.slice(0, 1)]),
    client: clientSide(request, facts, shape),
    ...((isList || carriesSealedProof(request)) && { isRelayable: false }),
    ...(isList && { streamContentType: 'application/json' }),
  }
}

/** Signatures sealed by the gateway must be opened before they are sent to a supplier. */
function carriesSealedProof({ contents }: GenerateRequest): boolean {
  return contents.some(({ parts }) =>
    parts?.some(({ thoughtSignature }) => thoughtSignature && openProof(thoughtSignature) !== null),
  )
}

function clientSide(request: GenerateRequest, facts: RequestFacts, shape: StreamShape): ClientSide {
  return {
    decode: () => decodeRequest(request, facts),
    decodeSettings: () => decodeSettings(request),
    encodeReply,
    openEncoder: (context) => new GenerationEncoder(context, shape),
  }
}

function readFacts(request: GenerateRequest, text: string, { model, method }: ModelMethod): RequestFacts {
  const { maxOutputTokens, candidateCount, responseModalities } = request.generationConfig ?? {}
  const choices = candidateCount ?? 1
  const wantsImages = responseModalities?.some((modality) => modality.toUpperCase() === 'IMAGE')
  return {
    model,
    stream: method === 'streamGenerateContent',
    ...readPromptSize(request, text),
    maxOutputTokens: maxOutputTokens ?? null,
    choices,
    ...(wantsImages && { inlineImages: choices }),
  }
}

/** Tool definitions count by their length in the body text: they may nest too deeply to serialize. */
function readPromptSize(
  request: GenerateRequest,
  text: string,
): Pick<RequestFacts, 'promptCharacters' | 'mediaParts'> {
  const members = findTopLevelMembers(text)
  const mediaParts = countMedia(request.contents)
  checkMediaParts(mediaParts, 'contents')
  const config = memberText(text, members.get('generationConfig') ?? members.get('generation_config'))
  // Also rejects a limit that is given twice: the charge must match what is served.
  const settings = findTopLevelMembers(config)
  return {
    promptCharacters:
      countContents(request.contents) +
      countInstruction(request.systemInstruction) +
      memberText(text, members.get('tools')).length +
      schemaLength(settings),
    mediaParts,
  }
}

const SCHEMA_FIELDS = ['responseSchema', 'response_schema', 'responseJsonSchema', 'response_json_schema']

function schemaLength(settings: ReadonlyMap<string, Span>): number {
  return SCHEMA_FIELDS.reduce((total, name) => {
    const span = settings.get(name)
    return span === undefined ? total : total + span.end - span.start
  }, 0)
}

function memberText(text: string, span: Span | undefined): string {
  return span === undefined ? '' : text.slice(span.start, span.end)
}

/** Every image counts the same, whatever its size. */
const TOKENS_PER_IMAGE = 1_600

// Newer official clients call `/v1`.
export const PATHS = ['/v1beta/models/*', '/v1beta/tunedModels/*', '/v1/models/*'] as const

/** Counts are always the gateway's estimate; no supplier is called. */
export const tokenCounting: TokenCounting = {
  paths: PATHS,
  read: readCount,
  asksSupplier: false,
  decode: (body) => {
    const total = asObject(body)?.totalTokens
    return typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? total : null
  },
}

function readCount(body: unknown, text: string, address: RequestAddress): CountRequest {
  const { model } = readModelMethod(address, 'count-tokens')
  const request = validateCount(body)
  const size = readPromptSize(request, findCounted(text))
  return {
    facts: { model, ...size },
    relayBody: () => [text],
    encode: (tokens) => encodeCount(tokens, size.mediaParts),
  }
}

/** The text of the counted request: the whole body, or the request inside it. */
function findCounted(text: string): string {
  const members = findTopLevelMembers(text)
  const inner = members.get('generateContentRequest') ?? members.get('generate_content_request')
  return inner === undefined || text[inner.start] !== '{' ? text : text.slice(inner.start, inner.end)
}

function encodeCount(tokens: number, mediaParts: number) {
  const inImages = Math.min(tokens, mediaParts * TOKENS_PER_IMAGE)
  const details = [
    { modality: 'TEXT', tokenCount: tokens - inImages },
    { modality: 'IMAGE', tokenCount: inImages },
  ]
  return {
    totalTokens: tokens,
    // Not null: some official clients read it as a number.
    cachedContentTokenCount: 0,
    promptTokensDetails: details.filter(({ modality, tokenCount }) => modality === 'TEXT' || tokenCount > 0),
    cacheTokensDetails: [],
  }
}
