import { VOYAGE_STYLE_FORMATS, voyageStyleTarget } from '../styles.ts'
import type { SupplierType } from '../supplier-type.ts'

/** Voyage AI, for embeddings and rerank. */
export const voyage: SupplierType = {
  name: 'voyage',
  label: 'Voyage AI',
  exampleUrl: 'https://api.voyageai.com/v1',
  aborts: 'prompt',
  formats: VOYAGE_STYLE_FORMATS,
  target: voyageStyleTarget,
}
