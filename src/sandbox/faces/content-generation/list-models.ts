import { Refusal } from '../../refusal.ts'
import type { Catalog } from '../face.ts'

const PATH = /^\/v1beta\/models(?:\/([^:]+))?$/

/** `GET /v1beta/models` and `GET /v1beta/models/{model}`. */
export function listModels(path: string, { models }: Catalog): unknown {
  const match = PATH.exec(path)
  if (match === null) return null
  const described = models.map(describeModel)
  const wanted = match[1]
  if (wanted === undefined) return { models: described }
  const model = described.find(({ name }) => name === `models/${wanted}`)
  if (model !== undefined) return model
  throw new Refusal('unknown-model', `models/${wanted} is not found for API version v1beta.`)
}

function describeModel({ model, summary }: Catalog['models'][number]) {
  return {
    name: `models/${model}`,
    version: '1',
    displayName: model,
    description: summary,
    inputTokenLimit: 128_000,
    outputTokenLimit: 16_384,
    supportedGenerationMethods: ['generateContent', 'countTokens', 'streamGenerateContent'],
  }
}
