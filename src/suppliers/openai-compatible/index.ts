import { openaiModels } from '../model-lists.ts'
import { OPENAI_STYLE_FORMATS, openaiStyleTarget } from '../styles.ts'
import type { SupplierType } from '../supplier-type.ts'
import { vendorOf } from './vendors.ts'

/** Any server that follows OpenAI's paths and carries its key as a bearer token. */
export const openaiCompatible: SupplierType = {
  name: 'openai-compatible',
  label: 'OpenAI-compatible',
  exampleUrl: 'https://llm.example.com/v1',
  aborts: 'free',
  formats: OPENAI_STYLE_FORMATS,
  options: ['vendor'],
  modelList: () => openaiModels,
  quirksOf: (supplier) => vendorOf(supplier)?.quirks ?? null,
  target: openaiStyleTarget,
}
