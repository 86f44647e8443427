import type { SupplyDocument } from '../../vocabulary/supply.ts'
import type { Operations } from '../ports/operations.ts'
import type { SupplyChanges, SupplyOptions } from '../ports/supply-application.ts'
import type { LocalOperations } from './index.ts'
import type { OperationParts } from './parts.ts'
import { planSupply } from './supply-plan/plan-supply.ts'
import type { SupplyStep, SupplyWriter } from './supply-plan/supply-step.ts'

/**
 * Makes the supply what the document wants it to be. A document that is wrong anywhere changes nothing; one that was
 * applied before changes nothing either, and leaves no audit event. What it does not name stays as it is.
 */
export function applySupply(
  operations: LocalOperations,
  document: SupplyDocument,
  options: SupplyOptions,
): Promise<SupplyChanges> {
  return operations.applySupply(document, options)
}

type SupplyApplication = Pick<Operations, 'planSupply' | 'applySupply'>

/**
 * Applications of whole documents. Each is one change, to which nothing is added in between: two of the same document
 * at once, be it on two nodes, would both find its credentials missing. The writer must not wait for its turn.
 */
export function supplyApplication(parts: OperationParts, writer: SupplyWriter): SupplyApplication {
  return {
    planSupply: (document, options) => changesOf(planSupply(parts, document, options)),
    applySupply: (document, options) =>
      parts.configuration.changing(async () => {
        const steps = planSupply(parts, document, options)
        for (const { write } of steps) await write?.(writer, options.actor)
        return changesOf(steps)
      }),
  }
}

function changesOf(steps: readonly SupplyStep[]): SupplyChanges {
  return steps.map(({ change }) => change)
}
