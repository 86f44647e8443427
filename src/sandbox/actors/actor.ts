import type { Fault } from '../faults.ts'
import type { Ask } from '../performance/ask.ts'
import type { Line } from '../performance/performance.ts'

/** A simulated model. */
export interface Actor {
  readonly model: string
  /** What it does, for people choosing one. */
  readonly summary: string
  /** What it wants to say; several choices differ only by their number, counted from 0. */
  speak(ask: Ask, choice: number): readonly Line[]
  /** Like the newest real models, it wants the signatures of its calls back wherever a format has room for them. */
  readonly demandsSeals?: true
  /** How this model misbehaves by nature; `callNumber` counts the calls to it from 1. */
  misbehave?(callNumber: number): Fault | null
}
