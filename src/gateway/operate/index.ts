import type { Operations } from '../ports/operations.ts'
import { accountOperations } from './accounts.ts'
import { createChangeDesk } from './change-desk.ts'
import { historyOperations } from './history.ts'
import { type KeyOperations, keyOperations } from './keys.ts'
import { modelOperations } from './models.ts'
import type { OperationParts } from './parts.ts'
import { supplyOperations } from './supply.ts'

/** All operations, and the one only the program itself may use. */
export type LocalOperations = Operations & Pick<KeyOperations, 'issueKey'>

/**
 * Everything an operator can do. A change is checked against the configuration in force, stored together with its
 * audit event, and only then put in force: what the gateway acts on is never more than what is stored.
 */
export function createOperations(parts: OperationParts): LocalOperations {
  const desk = createChangeDesk(parts)
  return {
    ...accountOperations(desk),
    ...keyOperations(desk),
    ...supplyOperations(desk),
    ...modelOperations(desk),
    ...historyOperations(parts),
  }
}
