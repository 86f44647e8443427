import { findProvider, type MatchLogic } from '@pydantic/genai-prices'
import type { PriceQuery } from '../../manage/ports/prices.ts'
import type { SupplierTypeName } from '../../vocabulary/supply.ts'

/** What the list calls the supplier and the model. */
export interface ListName {
  readonly providerId: string
  readonly model: string
}

/** The provider for a type of supplier; null where only the address tells. */
const PROVIDER_OF: Readonly<Record<SupplierTypeName, string | null>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  'azure-openai': 'azure',
  bedrock: 'aws',
  // It lists Gemini and Claude models on Vertex together with those of the Gemini API.
  vertex: 'google',
  cohere: 'cohere',
  voyage: 'voyageai',
  'openai-compatible': null,
  sandbox: null,
}

/** Null for a supplier that the list does not know. */
export function listNameOf({ supplier, upstreamModel }: Omit<PriceQuery, 'nowMs'>): ListName | null {
  const { type, baseUrl } = supplier
  if (type === 'sandbox') return null
  const providerId = PROVIDER_OF[type] ?? findProvider({ providerApiUrl: baseUrl })?.id
  return providerId === undefined ? null : { providerId, model: plainName(upstreamModel) }
}

/** Without what says where a model is found: `models/…` of Gemini, `…@date` of Vertex, the ARN of a Bedrock profile. */
function plainName(upstreamModel: string): string {
  const path = upstreamModel.replace(/^models\//, '').replace(/^arn:[^/]*\//, '')
  return path.replace(/@[\w-]+$/, '')
}

/**
 * Whether a model was found only because its name begins like that of an earlier one: the list finds `claude-sonnet-5`
 * for `claude-sonnet-5-5`, which may cost something else.
 */
export function isOfEarlierVersion(model: string, match: MatchLogic): boolean {
  const name = model.toLowerCase()
  const found = textsOf(match).filter((text) => name.includes(text))
  return found.length > 0 && found.every((text) => /^[-.]\d{1,2}(?!\d)/.test(afterText(name, text)))
}

function afterText(name: string, text: string): string {
  return name.slice(name.indexOf(text) + text.length)
}

/** The texts that a model's name has to have. */
function textsOf(match: MatchLogic): string[] {
  if ('or' in match) return match.or.flatMap(textsOf)
  if ('and' in match) return match.and.flatMap(textsOf)
  return 'regex' in match ? [] : Object.values(match).map((text) => text.toLowerCase())
}
