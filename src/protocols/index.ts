import type { Format } from '../vocabulary/supply.ts'
import { chatCompletion } from './chat-completion/index.ts'
import { cohereEmbeddings } from './cohere/embeddings.ts'
import { completions } from './completions/index.ts'
import { contentGeneration, generationEmbeddings, generationImages } from './content-generation/index.ts'
import type { EmbeddingSide } from './embedding-side.ts'
import { embeddings } from './embeddings/index.ts'
import type { ImageSide, RerankSide } from './family-sides.ts'
import { images } from './images/index.ts'
import { messages } from './messages/index.ts'
import type { Protocol } from './protocol.ts'
import { rerank } from './rerank/index.ts'
import { responses } from './responses/index.ts'
import { titanEmbeddings } from './titan/embeddings.ts'
import { voyageEmbeddings } from './voyage/embeddings.ts'
import { voyageRerank } from './voyage/rerank.ts'

/** Every text format of the gateway. A new one needs a folder and a line here. */
export const PROTOCOLS: readonly Protocol[] = [chatCompletion, responses, messages, contentGeneration]

/** Text formats that only suppliers of the same format are asked in. */
export const RELAYED_PROTOCOLS: readonly Protocol[] = [completions]

const byName = new Map(PROTOCOLS.map((protocol) => [protocol.name, protocol]))

export function protocolOf(name: Format): Protocol | undefined {
  return byName.get(name)
}

/** Every format in which suppliers can generate images; the dedicated one comes first. */
export const IMAGE_SIDES: readonly ImageSide[] = [images, generationImages]

/** Every format in which suppliers can embed; those of the vendors come last. */
export const EMBEDDING_SIDES: readonly EmbeddingSide[] = [
  embeddings,
  generationEmbeddings,
  cohereEmbeddings,
  voyageEmbeddings,
  titanEmbeddings,
]
/** Every format in which suppliers can rank documents; that of the clients comes first. */
export const RERANK_SIDES: readonly RerankSide[] = [rerank, voyageRerank]
