import type { Model } from '../../api/wire.ts'
import { SNIPPET_KINDS, type SnippetKind } from './snippets.ts'

export interface PickedModel {
  readonly model: string
  readonly kind: SnippetKind
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
  for (const kind of SNIPPET_KINDS) {
    const found = usable.find(({ kinds }) => kinds.includes(kind))
    if (found !== undefined) return { model: found.id, kind }
  }
  return { model: '<model>', kind: 'text' }
}

/** The kind of example to show for a model. */
export function snippetKind({ kinds }: Pick<Model, 'kinds'>): SnippetKind {
  return SNIPPET_KINDS.find((kind) => kinds.includes(kind)) ?? 'image'
}
