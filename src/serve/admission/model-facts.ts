import { effectiveLimit } from '../../rules/limits/effective-limit.ts'
import type { EligibleRoute } from '../../rules/routing/eligible-routes.ts'
import type { EffectiveLimit } from '../../vocabulary/account.ts'
import type { Format, ModelKind } from '../../vocabulary/supply.ts'
import { TEXT_FORMATS } from '../../vocabulary/words.ts'
import type { Caller, Target } from './prepared-request.ts'

/** How many requests and tokens per minute the caller may use with this model, and which limit binds. */
export function limitOf(caller: Caller, { model, routes }: Target): EffectiveLimit {
  return effectiveLimit({ account: caller.limits, key: caller.key, model, routes })
}

/** Whose credentials may serve: the platform's, the account's own, or both. */
export const MODEL_SOURCES = ['shared', 'byok', 'mixed'] as const

export function sourceOf(routes: readonly EligibleRoute[]): (typeof MODEL_SOURCES)[number] {
  const [first, ...others] = new Set(routes.map((route) => route.supplier.source))
  return others.length > 0 ? 'mixed' : (first ?? 'shared')
}

/** The format in which clients ask models of a kind; null for text, which has one format for each protocol. */
const KIND_FORMAT: Readonly<Record<ModelKind, Format | null>> = {
  text: null,
  image: 'images',
  'image-edit': 'images',
  embedding: 'embeddings',
  rerank: 'rerank',
  moderation: 'moderations',
  transcription: 'transcriptions',
  speech: 'speech',
}

/** The formats in which suppliers serve this model. What is not text has a single format for clients. */
export function protocolsOf({ model, routes }: Target): readonly Format[] {
  const { kinds, capabilities } = model
  const spoken = new Set<Format>(routes.flatMap((route) => route.formats))
  const ofText = kinds.includes('text') ? TEXT_FORMATS.filter((format) => spoken.has(format)) : []
  const isCompleting = ofText.length > 0 && capabilities.completions === true && spoken.has('completions')
  return [
    ...ofText,
    ...(isCompleting ? ['completions' as const] : []),
    ...new Set(kinds.flatMap((kind) => KIND_FORMAT[kind] ?? [])),
  ]
}
