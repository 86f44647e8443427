import type { Fault } from '../faults.ts'
import type { Ask } from '../performance/ask.ts'
import type { Line } from '../performance/performance.ts'

/** How a model that makes images wants to be asked: as those of some years ago, or as those of today. */
export type PainterKind = 'classic' | 'base64-only'

/** What must be known about a model before a request to it can be read. */
export interface ModelTraits {
  /** Like the newest real models, it wants the signatures of its calls back wherever a format has room for them. */
  readonly demandsSeals?: true
  /** Set when it continues texts where chat models refuse to. */
  readonly completes?: true
  /** Absent when it makes no images. */
  readonly paints?: PainterKind
  /** Whether it embeds texts. */
  readonly embeds?: true
}

/** A simulated model. */
export interface Actor extends ModelTraits {
  readonly model: string
  /** What it does, for people choosing one. */
  readonly summary: string
  /** What it wants to say; several choices differ only by their number, counted from 0. */
  speak(ask: Ask, choice: number): readonly Line[]
  /** How this model misbehaves by nature; `callNumber` counts the calls to it from 1. */
  misbehave?(callNumber: number): Fault | null
}
