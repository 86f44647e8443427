import type { Fault, FaultOf, FaultType } from './faults.ts'

/** The faults of one call, at most one of each type. */
export interface FaultPlan {
  find<T extends FaultType>(type: T): FaultOf<T> | null
}

/** Of several faults of one type the last one holds, so the more specific source is given last. */
export function planFaults(faults: readonly Fault[]): FaultPlan {
  const byType = new Map<FaultType, Fault>(faults.map((fault) => [fault.type, fault]))
  return {
    find: <T extends FaultType>(type: T) => (byType.get(type) as FaultOf<T> | undefined) ?? null,
  }
}
