import type { Operations } from '../ports/operations.ts'
import { accountOperations } from './accounts.ts'
import { alertOperations } from './alerts.ts'
import { supplyApplication } from './apply-supply.ts'
import { createChangeDesk, createInnerDesk } from './change-desk.ts'
import { tierOperations } from './evaluate-tiers.ts'
import { historyOperations } from './history.ts'
import { type KeyOperations, keyOperations } from './keys.ts'
import { modelOperations } from './models.ts'
import { ownSupplierOperations } from './own-suppliers.ts'
import type { OperationParts } from './parts.ts'
import { paymentOperations } from './payments.ts'
import { type SupplyOperations, supplyOperations } from './supply.ts'

/** All operations, and those only the program itself may use. */
export type LocalOperations = Operations &
  Pick<KeyOperations, 'issueKey'> &
  Pick<SupplyOperations, 'disableRefused'>

/**
 * Everything an operator can do. A change is checked against the configuration in force, stored together with its
 * audit event, and only then put in force: what the gateway acts on is never more than what is stored.
 */
export function createOperations(parts: OperationParts): LocalOperations {
  const inner = createInnerDesk(parts)
  const desk = createChangeDesk(inner)
  return {
    ...accountOperations(desk),
    ...paymentOperations(desk),
    ...tierOperations(desk),
    ...keyOperations(desk),
    ...alertOperations(desk),
    ...supplyOperations(desk),
    ...modelOperations(desk),
    ...ownSupplierOperations(desk),
    ...supplyApplication(parts, { ...supplyOperations(inner), ...modelOperations(inner) }),
    ...historyOperations(parts),
  }
}
