import type { UsagePoint } from '../ports/ledger.ts'

/** Sums of usage that the dashboard shows. */
export interface UsageSum {
  requests: number
  failed: number
  supplierFailed: number
  firstBytes: number
  firstByteMs: number
  amountNano: bigint
  costNano: bigint
  marginNano: bigint
}

export const NO_USE: Readonly<UsageSum> = {
  requests: 0,
  failed: 0,
  supplierFailed: 0,
  firstBytes: 0,
  firstByteMs: 0,
  amountNano: 0n,
  costNano: 0n,
  marginNano: 0n,
}

/** A request whose client disconnected does not count as failed. */
export function sumUsage(points: Iterable<UsagePoint>): UsageSum {
  const sum = { ...NO_USE }
  for (const { figures } of points) {
    const { completed, clientLeft, supplierFailed, refused, interrupted } = figures
    const failed = supplierFailed + refused + interrupted
    sum.requests += completed + clientLeft + failed
    sum.failed += failed
    sum.supplierFailed += supplierFailed
    sum.firstBytes += figures.firstBytes
    sum.firstByteMs += figures.firstByteMs
    sum.amountNano += figures.amountNano
    sum.marginNano += figures.marginNano
    sum.costNano += figures.amountNano - figures.marginNano
  }
  return sum
}

export function averageOf({ firstBytes, firstByteMs }: UsageSum): number | null {
  return firstBytes === 0 ? null : Math.round(firstByteMs / firstBytes)
}
