import { chatCompletion } from './chat-completion/index.ts'
import { completions } from './completions/index.ts'
import { contentGeneration } from './content-generation/index.ts'
import { EMBEDDING_FACES } from './embeddings/index.ts'
import type { Face } from './face.ts'
import { images } from './images/index.ts'
import { messages } from './messages/index.ts'
import { moderations } from './moderations/index.ts'
import { cohereRerank, rerank, voyageRerank } from './rerank/index.ts'
import { responses } from './responses/index.ts'
import { speech } from './speech/index.ts'
import { transcriptions } from './transcriptions/index.ts'

export const FACES: readonly Face[] = [
  chatCompletion,
  responses,
  messages,
  contentGeneration,
  images,
  ...EMBEDDING_FACES,
  rerank,
  cohereRerank,
  voyageRerank,
  moderations,
  transcriptions,
  speech,
  completions,
]

/** Who answers below this path: the face whose home it is, or the most widespread one. */
export function faceAt(path: string): Face {
  return FACES.find((face) => path.startsWith(face.home)) ?? chatCompletion
}
