import type { LineAt } from './read-lines.ts'

/** A line of the journal that says nothing any more. */
export interface DamagedLine {
  readonly path: string
  readonly offset: number
  readonly bytes: number
  /** Cut short at the end of its file, as a crash does to one that nobody was told of; else it was altered later. */
  readonly kind: 'cut_off' | 'altered'
  /** Where its bytes were copied to; null when that failed, and its file stays instead. */
  readonly keptIn: string | null
}

export function damagedLine(
  { path, startsAt, endsAt, isCutOff }: LineAt,
  keptIn: string | null,
): DamagedLine {
  return { path, offset: startsAt, bytes: endsAt - startsAt, kind: isCutOff ? 'cut_off' : 'altered', keptIn }
}
