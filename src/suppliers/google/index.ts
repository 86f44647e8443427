import { googleModels } from '../model-lists.ts'
import { GOOGLE_STYLE_FORMATS, googleStyleTarget } from '../styles.ts'
import type { SupplierType } from '../supplier-type.ts'

export const google: SupplierType = {
  name: 'google',
  label: 'Google Gemini',
  exampleUrl: 'https://generativelanguage.googleapis.com',
  aborts: 'prompt',
  formats: GOOGLE_STYLE_FORMATS,
  modelList: () => googleModels,
  target: googleStyleTarget,
}
