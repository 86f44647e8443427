import { OUTCOMES } from '../../../src/vocabulary/words.ts'
import { outcomeLabel } from '../layout/outcome-badge.tsx'

declare const BUILT_IN_ERROR_CODES: readonly string[]

export interface Choice {
  readonly value: string
  readonly label: string
}

export const OUTCOME_CHOICES: readonly Choice[] = OUTCOMES.map((value) => ({
  value,
  label: outcomeLabel(value),
}))

export const CODE_CHOICES: readonly Choice[] = BUILT_IN_ERROR_CODES.map((code) => ({
  value: code,
  label: code,
}))

export const STREAM_CHOICES: readonly Choice[] = [
  { value: 'true', label: 'Streamed' },
  { value: 'false', label: 'Not streamed' },
]

export function plainChoices(values: readonly string[]): Choice[] {
  return values.map((value) => ({ value, label: value }))
}

/** A link can name a value that is no longer in the list. Add it, so that the filter stays visible. */
export function withChosen(choices: readonly Choice[], chosen: string): Choice[] {
  const isKnown = chosen === '' || choices.some(({ value }) => value === chosen)
  return isKnown ? [...choices] : [...choices, { value: chosen, label: chosen }]
}
