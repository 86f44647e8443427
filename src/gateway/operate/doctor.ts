import { lastFourOf } from '../../vocabulary/api-key.ts'
import type { Diagnostics, Finding } from '../ports/diagnostics.ts'
import { compareModels } from './compare-models.ts'
import type { DiagnosisParts } from './diagnosis-parts.ts'
import { type PlannedVisit, planVisits } from './plan-visits.ts'
import { visitSupplier } from './visit-supplier.ts'

export type { DiagnosisParts } from './diagnosis-parts.ts'

/** How long one call of the doctor may take: longer would be no answer to somebody who waits for a table. */
export const DOCTOR_PATIENCE_MS = 10_000

// Enough that one silent supplier holds up nobody, too few to look like load to any of them.
const VISITS_AT_ONCE = 4

export function createDiagnostics(parts: DiagnosisParts): Diagnostics {
  return {
    examineSupply: () => examineSupply(parts),
    compareModels: (supplierId) => compareModels(supplierId, parts),
  }
}

/**
 * Calls every supplier once with each of its credentials, as a request would. Nobody is charged for it here, and
 * routing learns nothing from it.
 */
export async function examineSupply(parts: DiagnosisParts): Promise<readonly Finding[]> {
  const planned = planVisits(parts.snapshot().supply)
  const findings: Finding[] = new Array(planned.length)
  const waiting = planned.entries()
  const work = async () => {
    // All workers share one iterator, so each takes the next visit nobody has begun.
    for (const [index, visit] of waiting) findings[index] = await makeFinding(visit, parts)
  }
  await Promise.all(Array.from({ length: VISITS_AT_ONCE }, work))
  return findings
}

async function makeFinding(planned: PlannedVisit, parts: DiagnosisParts): Promise<Finding> {
  const { supplier, credential } = planned
  const about = {
    supplierId: supplier.id,
    credentialId: credential?.id ?? null,
    label: credential?.label ?? null,
    lastFour: credential && lastFourOf(credential.secret),
  }
  if (planned.type !== 'visit') {
    const { type: result, hint } = planned
    return { ...about, modelId: null, format: null, result, status: null, latencyMs: null, hint }
  }
  const seen = await visitSupplier(planned, parts)
  return { ...about, modelId: planned.model.id, format: planned.protocol.name, ...seen }
}
