import type { SupplyDocument } from '../../../vocabulary/supply.ts'
import { RefusedSupply, type SupplyOptions } from '../../ports/supply-application.ts'
import type { OperationParts } from '../parts.ts'
import { planModels } from './plan-models.ts'
import { planPruning } from './plan-pruning.ts'
import { planSuppliers, settingsOf } from './plan-suppliers.ts'
import type { Planning, SupplyStep } from './supply-step.ts'

/**
 * All that has to be written so that the supply is as the document wants it, in an order in which each step finds what
 * it needs. Everything is checked here, so that a document is refused before its first write or not at all.
 */
export function planSupply(
  parts: OperationParts,
  document: SupplyDocument,
  options: SupplyOptions,
): readonly SupplyStep[] {
  const { supply } = parts.configuration.current()
  const suppliers = new Map(supply.suppliers)
  for (const wanted of document.suppliers) {
    if (!options.keepExisting || !suppliers.has(wanted.id))
      suppliers.set(wanted.id, settingsOf(parts, wanted))
  }
  const planning: Planning = { parts, supply, document, options, suppliers, problems: [] }
  const steps = [...planSuppliers(planning), ...planModels(planning), ...planPruning(planning)]
  if (planning.problems.length > 0) throw new RefusedSupply(planning.problems, 'The supply', () => '')
  return steps
}
