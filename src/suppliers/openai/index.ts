import { OPENAI_STYLE_FORMATS, openaiStyleTarget } from '../openai-style.ts'
import type { SupplierType } from '../supplier-type.ts'

export const openai: SupplierType = {
  name: 'openai',
  formats: OPENAI_STYLE_FORMATS,
  target: openaiStyleTarget,
}
