import type { IssuedKey } from '../../vocabulary/api-key.ts'
import type { Credential } from '../../vocabulary/supply.ts'
import type { Operations } from '../ports/operations.ts'
import { accountChanges, accountOperations } from './accounts.ts'
import { alertChanges, alertOperations } from './alerts.ts'
import { supplyApplication } from './apply-supply.ts'
import { historyOperations } from './history.ts'
import { keyOperations, type NewKey } from './keys.ts'
import { modelChanges, modelOperations } from './models.ts'
import { createChangeQueue, createUnqueued, type OperationParts, operationsOf } from './parts.ts'
import { paymentChanges, paymentOperations } from './payments.ts'
import { supplyChanges, supplyOperations } from './supply.ts'

/** All operations, and those only the program itself may use. */
export interface LocalOperations extends Operations {
  /** Creates a key whose secret was chosen beforehand, for a first start that is told its key. */
  issueKey(accountId: string, input: NewKey, actor: string): Promise<IssuedKey>
  /**
   * Disables a credential that a supplier has refused. False when somebody, on whichever node, has seen to it since:
   * it is gone, not in use, or has another secret than the refused one.
   */
  disableRefused(refused: Credential, actor: string): Promise<boolean>
}

/**
 * Everything an operator can do. A change is checked against the configuration in force, stored together with its
 * audit event, and only then put in force: what the gateway acts on is never more than what is stored.
 */
export function createOperations(parts: OperationParts): LocalOperations {
  const inner = createUnqueued(parts)
  const queue = createChangeQueue(inner)
  const supplyWrites = { ...supplyChanges, ...modelChanges }
  return {
    ...operationsOf(queue, { ...accountChanges, ...paymentChanges, ...alertChanges, ...supplyWrites }),
    ...accountOperations(parts),
    ...paymentOperations(parts),
    ...keyOperations(queue),
    ...alertOperations(parts),
    ...supplyOperations(parts),
    ...modelOperations(parts),
    ...supplyApplication(parts, operationsOf(inner, supplyWrites)),
    ...historyOperations(parts),
  }
}
