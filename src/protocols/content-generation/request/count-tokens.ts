import { findTopLevelMembers } from '../../../wire/json-members.ts'
import { asObject } from '../../../wire/json-values.ts'
import type { CountRequest, RequestAddress, TokenCounting } from '../../protocol.ts'
import { readModelMethod } from '../address.ts'
import { readPromptSize } from './read-request.ts'
import { validateCount } from './validate.ts'

/** Every picture is estimated alike, whatever its size. */
const TOKENS_PER_IMAGE = 1_600

export const PATHS = ['/v1beta/models/*', '/v1beta/tunedModels/*'] as const

/** Counts are always our own estimate, so that they cost no supplier anything. */
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
    relayBody: () => text,
    encode: (tokens) => encodeCount(tokens, size.mediaParts),
  }
}

/** The text of the request that is counted: the whole body, or the one inside it. */
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
    cachedContentTokenCount: null,
    promptTokensDetails: details.filter(({ modality, tokenCount }) => modality === 'TEXT' || tokenCount > 0),
    cacheTokensDetails: [],
  }
}
