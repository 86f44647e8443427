import { anthropicModels } from '../model-lists.ts'
import {
  ANTHROPIC_STYLE_FORMATS,
  ANTHROPIC_STYLE_OPTIONS,
  anthropicStyleTarget,
  takesForwardedBeta,
} from '../styles.ts'
import type { SupplierType } from '../supplier-type.ts'

export const anthropic: SupplierType = {
  name: 'anthropic',
  label: 'Anthropic',
  exampleUrl: 'https://api.anthropic.com',
  aborts: 'prompt',
  formats: ANTHROPIC_STYLE_FORMATS,
  options: ANTHROPIC_STYLE_OPTIONS,
  modelList: () => anthropicModels,
  takesBeta: takesForwardedBeta,
  target: anthropicStyleTarget,
}
