import { DEFAULT_TRAITS } from '../../vocabulary/runtime/traits.ts'
import type { Protocol } from '../protocol.ts'
import type { SupplierSide } from '../translation.ts'
import { addressOf, operationOf } from './address.ts'
import { contracts } from './contract.ts'
import { decodeError } from './reply/decode-error.ts'
import { decodeReply, readReply } from './reply/decode-reply.ts'
import { generatedText } from './reply/generated-text.ts'
import { encodeRequest } from './request/encode-request.ts'
import { GENERATION_PARAMETERS } from './request/parameters.ts'
import { PATHS, readRequest, tokenCounting } from './request/read-request.ts'
import { GenerationDecoder } from './stream/decode-stream.ts'

export { isEmbedPath, type Operation, operationOf } from './address.ts'
export { MODEL_CONTRACTS } from './contract.ts'
export { EMBED_CONTRACTS, generationEmbeddings } from './embed/index.ts'
export { generationImages } from './images.ts'
export {
  encodeModel,
  encodeModelList,
  isListed,
  type ListedModel,
  type ModelEntry,
  type PageQuery,
} from './model-list.ts'

const supplier: SupplierSide = {
  traits: {
    ...DEFAULT_TRAITS,
    // Every model of this format accepts a budget in this range. Which models can disable thinking is unknown.
    thinking: { type: 'budget', least: 512, most: 24_576, canDisable: false },
    urlImages: false,
    toolResultImages: false,
    maxChoices: 8,
  },
  toolRules: {
    name: /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/,
    callId: /^[A-Za-z0-9_.:-]{1,128}$/,
    hasCustomTools: false,
    hasNamespaces: false,
  },
  parameters: GENERATION_PARAMETERS,
  encodeRequest,
  decodeReply,
  openDecoder: (context) => new GenerationDecoder(context),
}

export const contentGeneration: Protocol = {
  name: 'content-generation',
  paths: PATHS,
  contracts,
  readRequest,
  readReply,
  generatedText,
  decodeError,
  operationOf,
  addressOf,
  supplier,
  tokenCounting,
  // Older clients ignore error events but notice a broken connection.
  breaksOffAfterError: true,
  // Clients of this format fail on comments.
  outputLimitName: 'maxOutputTokens',
  heartbeat: null,
}
