import { AUDIO_ENDPOINTS } from './audio/index.ts'
import { EMBEDDING_ENDPOINTS, withEmbedMethods } from './embeddings/index.ts'
import type { FamilyEndpoint } from './family.ts'
import { IMAGE_ENDPOINTS } from './images/index.ts'
import { MODERATION_ENDPOINTS } from './moderations/index.ts'
import { RERANK_ENDPOINTS } from './rerank/index.ts'
import { TEXT_ENDPOINTS } from './text/index.ts'

/** Every kind of request that models answer. A new one needs a folder and a line here. */
export const FAMILY_ENDPOINTS: readonly FamilyEndpoint[] = [
  ...TEXT_ENDPOINTS.map(withEmbedMethods),
  ...IMAGE_ENDPOINTS,
  ...EMBEDDING_ENDPOINTS,
  ...RERANK_ENDPOINTS,
  ...MODERATION_ENDPOINTS,
  ...AUDIO_ENDPOINTS,
]
