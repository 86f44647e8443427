import { Refusal } from '../../refusal.ts'
import type { Catalog } from '../face.ts'

const PATH = /^\/v1\/models(?:\/(.*))?$/

/** `GET /v1/models` and `GET /v1/models/{id}`. */
export function listModels(path: string, { models, startedAtMs }: Catalog): unknown {
  const match = PATH.exec(path)
  if (match === null) return null
  const described = models.map(({ model }) => describeModel(model, startedAtMs))
  const wanted = match[1] ?? ''
  if (wanted === '') return { object: 'list', data: described }
  const model = described.find(({ id }) => id === wanted)
  if (model !== undefined) return model
  throw new Refusal('unknown-model', `The model '${wanted}' does not exist.`, { field: 'model' })
}

function describeModel(id: string, startedAtMs: number) {
  return { id, object: 'model', created: Math.floor(startedAtMs / 1000), owned_by: 'sandbox' }
}
