import type { Actor } from './actors/actor.ts'
import { Refusal } from './refusal.ts'

/** `GET /v1/models` and `GET /v1/models/{id}`. */
export function listModels(path: string, actors: readonly Actor[], startedAtMs: number): Response {
  const models = actors.map(({ model }) => describeModel(model, startedAtMs))
  const wanted = path.slice('/v1/models/'.length)
  if (wanted === '') return Response.json({ object: 'list', data: models })
  const model = models.find(({ id }) => id === wanted)
  if (model !== undefined) return Response.json(model)
  throw new Refusal('unknown-model', `The model '${wanted}' does not exist.`, { field: 'model' })
}

function describeModel(id: string, startedAtMs: number) {
  return { id, object: 'model', created: Math.floor(startedAtMs / 1000), owned_by: 'sandbox' }
}
