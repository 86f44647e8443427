import type { Seals } from '../../seals.ts'
import type { ResponsesRequest } from './schema.ts'

export const FACE = 'responses'

/** What every object of one answer has in common. */
export interface AnswerHead {
  readonly number: number
  readonly id: string
  /** Seconds. */
  readonly createdAt: number
  readonly request: ResponsesRequest
  readonly seals: Seals
}

const THOUGHTFUL = /^(?:msg|fc|ctc)_sandbox_thoughtful_(\d+)_\d+$/

/**
 * The ids of items that followed a thought say so: the real service refuses such an item when it comes back under
 * its id but without the thought.
 */
export function nameItem(prefix: 'msg' | 'fc' | 'ctc' | 'rs', place: ItemPlace): string {
  const thoughtful = place.followsThought ? 'thoughtful_' : ''
  return `${prefix}_sandbox_${thoughtful}${place.answer}_${place.index}`
}

export interface ItemPlace {
  readonly answer: number
  readonly index: number
  readonly followsThought: boolean
}

/** The number of the answer whose thought this item needs beside it; null when it needs none. */
export function thoughtNeeded(id: string): string | null {
  return THOUGHTFUL.exec(id)?.[1] ?? null
}

export function thoughtNumber(id: string): string | null {
  return /^rs_sandbox_(\d+)_\d+$/.exec(id)?.[1] ?? null
}

/** What a reasoning item's seal vouches for: this item and no other. */
export function reasoningClaim(model: string, id: string) {
  return { face: FACE, model, about: id }
}
