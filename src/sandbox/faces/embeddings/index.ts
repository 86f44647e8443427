import type { Face } from '../face.ts'
import { generationEmbeddings } from './google.ts'
import { openaiEmbeddings } from './openai.ts'
import { cohereEmbeddings, invokedEmbeddings, voyageEmbeddings } from './vendors.ts'

/** Embeddings in the format of each vendor. */
export const EMBEDDING_FACES: readonly Face[] = [
  openaiEmbeddings,
  generationEmbeddings,
  cohereEmbeddings,
  voyageEmbeddings,
  invokedEmbeddings,
]
