import { BUCKETS } from '../../../../rules/ledger/explore/histogram.ts'
import type { MeasureTotal } from '../../../../rules/ledger/explore/measure-sums.ts'
import type { UsageSpan } from '../../../../vocabulary/settlement.ts'
import type { Parameter } from '../../engines/database.ts'

type BucketColumn = `${'first_byte' | 'duration'}${number}`
type FigureColumn = 'saved_nano' | 'streamed_tokens' | 'streamed_ms' | BucketColumn

export const MEASURE_PLACE = ['span', 'start_ms', 'account_id', 'model', 'supplier'] as const

export type MeasureRow = Readonly<Record<FigureColumn, bigint>> & {
  readonly span: UsageSpan
  readonly start_ms: bigint
  readonly account_id: string
  readonly model: string
  readonly supplier: string
}

function bucketColumns(name: 'first_byte' | 'duration'): BucketColumn[] {
  return Array.from({ length: BUCKETS }, (_, bucket): BucketColumn => `${name}${bucket}`)
}

/** In the order of `encodeMeasures`. */
export const MEASURE_FIGURES: readonly FigureColumn[] = [
  'saved_nano',
  'streamed_tokens',
  'streamed_ms',
  ...bucketColumns('first_byte'),
  ...bucketColumns('duration'),
]

export function encodeMeasures(span: UsageSpan, { startMs, group, measures }: MeasureTotal): Parameter[] {
  const { savedNano, streamedTokens, streamedMs, firstByte, duration } = measures
  const place = [span, startMs, group.accountId, group.model, group.supplier ?? '']
  return [...place, BigInt(savedNano), streamedTokens, streamedMs, ...firstByte, ...duration]
}
