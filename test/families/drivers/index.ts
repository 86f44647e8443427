import type { FamilyDriver } from '../family-driver.ts'
import { images } from './images.ts'
import { moderations } from './moderations.ts'
import { rerankV1, rerankV2 } from './rerank.ts'

/** Every family beside text. A new one needs a file and a line here. */
export const FAMILY_DRIVERS: readonly FamilyDriver[] = [images, rerankV1, rerankV2, moderations]
