import { priceOperations } from '../prices/index.ts'
import { accountChanges, accountOperations } from './accounts.ts'
import { alertChanges, alertOperations } from './alerts.ts'
import { supplyApplication } from './apply/apply-supply.ts'
import { historyOperations } from './history.ts'
import { keyOperations } from './keys.ts'
import { modelChanges, modelOperations } from './models.ts'
import { channelChanges, channelOperations } from './observability/alert-channels.ts'
import { exploreOperations } from './observability/explore.ts'
import { rememberRanks } from './observability/rank-memory.ts'
import { refusalOperations } from './observability/refusals.ts'
import { sinkChanges, sinkOperations } from './observability/sinks.ts'
import {
  createChangeQueue,
  createUnqueued,
  type LocalOperations,
  type OperationParts,
  operationsOf,
} from './parts.ts'
import { paymentChanges, paymentOperations } from './payments.ts'
import { recordOperations } from './records.ts'
import { searchOperations } from './search.ts'
import { supplyChanges, supplyOperations } from './supply.ts'

/**
 * Everything an operator can do. A change is checked against the configuration in force, stored together with its
 * audit event, and only then put in force: what the gateway acts on is never more than what is stored.
 */
export function createOperations(parts: OperationParts): LocalOperations {
  const inner = createUnqueued(parts)
  const queue = createChangeQueue(inner)
  const supplyWrites = { ...supplyChanges, ...modelChanges }
  const { storage } = parts
  const rankGroups = rememberRanks((...asked) => storage.rankGroups(...asked))
  const reading = { ...parts, storage: { ...storage, rankGroups } }
  return {
    ...operationsOf(queue, {
      ...accountChanges,
      ...paymentChanges,
      ...alertChanges,
      ...sinkChanges,
      ...channelChanges,
      ...supplyWrites,
    }),
    ...accountOperations(parts),
    ...paymentOperations(parts),
    ...keyOperations(queue),
    ...alertOperations(parts),
    ...channelOperations(parts),
    ...supplyOperations(parts),
    ...modelOperations(parts),
    ...supplyApplication(parts, {
      ...operationsOf(inner, supplyWrites),
      records: (kind) => recordOperations(inner, kind),
    }),
    ...priceOperations(parts, operationsOf(inner, supplyWrites)),
    ...historyOperations(reading),
    ...searchOperations(parts),
    ...refusalOperations(parts),
    ...exploreOperations(reading),
    ...sinkOperations(parts),
    records: (kind) => recordOperations(queue, kind),
  }
}
