import type { FamilyDriver } from '../family-driver.ts'
import { images } from './images.ts'

/** Every family beside text. A new one needs a file and a line here. */
export const FAMILY_DRIVERS: readonly FamilyDriver[] = [images]
