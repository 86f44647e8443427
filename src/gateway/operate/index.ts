import type { Operations } from '../ports/operations.ts'
import { accountOperations } from './accounts.ts'
import { alertOperations } from './alerts.ts'
import { supplyApplication } from './apply-supply.ts'
import { createChangeDesk } from './change-desk.ts'
import { tierOperations } from './evaluate-tiers.ts'
import { exportOperations } from './exports.ts'
import { historyOperations } from './history.ts'
import { type KeyOperations, keyOperations } from './keys.ts'
import { modelOperations } from './models.ts'
import { ownSupplierOperations } from './own-suppliers.ts'
import type { OperationParts } from './parts.ts'
import { paymentOperations } from './payments.ts'
import { supplyOperations } from './supply.ts'
import { usageOperations } from './usage.ts'

/** All operations, and the one only the program itself may use. */
export type LocalOperations = Operations & Pick<KeyOperations, 'issueKey'>

/**
 * Everything an operator can do. A change is checked against the configuration in force, stored together with its
 * audit event, and only then put in force: what the gateway acts on is never more than what is stored.
 */
export function createOperations(parts: OperationParts): LocalOperations {
  const desk = createChangeDesk(parts)
  const supply = { ...supplyOperations(desk), ...modelOperations(desk) }
  return {
    ...accountOperations(desk),
    ...paymentOperations(desk),
    ...tierOperations(desk),
    ...keyOperations(desk),
    ...alertOperations(desk),
    ...supply,
    ...ownSupplierOperations(desk),
    ...supplyApplication(parts, supply),
    ...historyOperations(parts),
    ...usageOperations(parts),
    ...exportOperations(parts),
  }
}
