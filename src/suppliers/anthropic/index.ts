import { ANTHROPIC_STYLE_FORMATS, anthropicStyleTarget } from '../anthropic-style.ts'
import type { SupplierType } from '../supplier-type.ts'

export const anthropic: SupplierType = {
  name: 'anthropic',
  formats: ANTHROPIC_STYLE_FORMATS,
  target: anthropicStyleTarget,
}
