import type { Model } from '../../api/wire.ts'

export interface PickedModel {
  readonly model: string
  readonly kind: 'text' | 'image'
}

/** Whether a key's allowlist allows a model. Entries are ids, or prefixes followed by `*`. */
export function isAllowed(model: string, allowlist: readonly string[] | null): boolean {
  if (allowlist === null) return true
  return allowlist.some((entry) =>
    entry.endsWith('*') ? model.startsWith(entry.slice(0, -1)) : entry === model,
  )
}

/** A model for examples: available now, allowed for the key, and preferably a text model. */
export function pickModel(models: readonly Model[], allowlist: readonly string[] | null): PickedModel {
  const usable = models.filter(({ id, routeable }) => routeable && isAllowed(id, allowlist))
  const talker = usable.find(({ kinds }) => kinds.includes('text'))
  if (talker !== undefined) return { model: talker.id, kind: 'text' }
  const painter = usable.find(({ kinds }) => kinds.includes('image'))
  return painter === undefined ? { model: '<model>', kind: 'text' } : { model: painter.id, kind: 'image' }
}
