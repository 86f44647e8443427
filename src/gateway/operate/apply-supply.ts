import type { SupplyDocument } from '../../vocabulary/supply-document.ts'
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
 * Applications of whole documents. They wait for one another: two of the same document at once would both find its
 * credentials missing.
 */
export function supplyApplication(parts: OperationParts, writer: SupplyWriter): SupplyApplication {
  let last: Promise<unknown> = Promise.resolve()
  const apply = async (document: SupplyDocument, options: SupplyOptions) => {
    const steps = planSupply(parts, document, options)
    for (const { write } of steps) await write?.(writer, options.actor)
    return changesOf(steps)
  }
  return {
    planSupply: (document, options) => changesOf(planSupply(parts, document, options)),
    applySupply: (document, options) => {
      const result = last.then(() => apply(document, options))
      // A refused document must not refuse the ones waiting behind it.
      last = result.catch(() => undefined)
      return result
    },
  }
}

function changesOf(steps: readonly SupplyStep[]): SupplyChanges {
  return steps.map(({ change }) => change)
}
