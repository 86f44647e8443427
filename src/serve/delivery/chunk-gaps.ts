import type { Admission } from '../admission/admission.ts'
import type { Gateway } from '../gateway.ts'
import type { NoteGap } from '../ports/request-observer.ts'
import type { ReadyCandidate } from './candidate-queue.ts'

export interface ChunkGapParts {
  readonly admission: Admission
  readonly gateway: Gateway
}

/** Counts the times between the chunks of a stream wherever they are measured; null when they are nowhere. */
export function openChunkGaps(
  { candidate }: ReadyCandidate,
  { admission, gateway }: ChunkGapParts,
): NoteGap | null {
  const { supplier, route } = candidate.route
  const { clientFormat } = admission.record
  const model = route.modelId
  const count = gateway.chunkGaps?.(model, supplier.id) ?? null
  const times = gateway.observer?.openChunkTimes({ model, clientFormat, supplier, route }) ?? null
  if (times === null) return count
  return (gapMs) => {
    times.add(gapMs)
    count?.(gapMs)
  }
}
