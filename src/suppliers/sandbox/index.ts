import { OPENAI_STYLE_FORMATS, openaiStyleTarget } from '../openai-style.ts'
import type { SupplierType } from '../supplier-type.ts'

/** The built-in simulator, addressed over the network like any other supplier. */
export const sandbox: SupplierType = {
  name: 'sandbox',
  formats: OPENAI_STYLE_FORMATS,
  target: openaiStyleTarget,
}
