import { COHERE_STYLE_FORMATS, cohereStyleTarget } from '../styles.ts'
import type { SupplierType } from '../supplier-type.ts'

/** Cohere, for embeddings and rerank. */
export const cohere: SupplierType = {
  name: 'cohere',
  label: 'Cohere',
  exampleUrl: 'https://api.cohere.com',
  aborts: 'prompt',
  formats: COHERE_STYLE_FORMATS,
  target: cohereStyleTarget,
}
