import type { FamilyDriver } from '../family-driver.ts'
import { completions } from './completions.ts'
import { embeddings } from './embeddings.ts'
import { images } from './images.ts'
import { moderations } from './moderations.ts'
import { rerankV1, rerankV2 } from './rerank.ts'
import { speech } from './speech.ts'
import { transcriptions } from './transcriptions.ts'

/** Every family beside chat. A new one needs a file and a line here. */
export const FAMILY_DRIVERS: readonly FamilyDriver[] = [
  completions,
  images,
  embeddings,
  rerankV1,
  rerankV2,
  moderations,
  transcriptions,
  speech,
]
