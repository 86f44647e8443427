import { type BodyStorage, BodyStorageView } from '../../vocabulary/kept-body.ts'
import { type Supplier, viewCredential } from '../../vocabulary/supply.ts'
import { requireAccount, requireFound } from '../operations/refuse.ts'
import type { AccountOperations } from '../ports/console.ts'
import { listModels } from './list-models.ts'
import { listUsage, overview } from './overview.ts'
import type { ConsoleParts } from './parts.ts'
import { PlaygroundKeys } from './playground-key.ts'
import { WebhookTests } from './test-webhook.ts'

/** What people do with an account in the console. */
export function createAccountOperations(parts: ConsoleParts): AccountOperations {
  const { snapshot, bodies, operations } = parts
  const playground = new PlaygroundKeys(parts)
  const webhooks = new WebhookTests(parts)
  const accountOf = (id: string) => requireAccount(snapshot(), id)
  return {
    events: parts.events,
    overview: async (id, range) => overview(parts, accountOf(id), range),
    listUsage: async (id, question) => listUsage(parts, accountOf(id).id, question),
    listModels: (id, keyId) =>
      listModels(parts, accountOf(id), keyId === null ? null : ownKey(parts, id, keyId)),
    ownsSupplier: (id, supplierId) => isOwn(snapshot().supply.suppliers.get(supplierId), id),
    ...ownership(parts),
    listSuppliers: (id) => {
      const { suppliers, credentialsBySupplier } = snapshot().supply
      return [...suppliers.values()]
        .filter((supplier) => isOwn(supplier, id))
        .map((supplier) => ({
          ...supplier,
          credentials: (credentialsBySupplier.get(supplier.id) ?? []).map(viewCredential),
        }))
    },
    deleteSupplier: async (id, supplierId, actor) => {
      ownSupplier(parts, id, supplierId)
      await operations.deleteOwnSupplier(supplierId, actor)
    },
    issuePlaygroundKey: (whose, actor) => playground.issue(whose, actor),
    bodyStorage: (id) => bodies.settingOf(accountOf(id).id),
    setBodyStorage: (setting, actor) =>
      parts.configuration.changing(() => setBodyStorage(parts, setting, actor)),
    findBody: async (id, requestId) =>
      requireFound(await bodies.find(id, requestId), 'kept body of', requestId),
    testWebhook: async (id) => webhooks.test(accountOf(id).id),
  }
}

/** What is not the account's own does not exist for whoever asks about that account. */
function ownership(parts: ConsoleParts) {
  return {
    ownKeyId: (accountId: string, keyId: string) => ownKey(parts, accountId, keyId).id,
    ownSupplierId: (accountId: string, supplierId: string) => ownSupplier(parts, accountId, supplierId).id,
    ownCredentialId: (accountId: string, credentialId: string) => {
      const { supply } = parts.snapshot()
      const credentials = [...supply.credentialsBySupplier.values()].flat()
      const found = credentials.find(({ id }) => id === credentialId)
      const isMine = found !== undefined && isOwn(supply.suppliers.get(found.supplierId), accountId)
      return requireFound(isMine ? found : null, 'credential', credentialId).id
    },
    findSettlement: async (accountId: string, requestId: string) => {
      const found = await parts.operations.findSettlement(requestId)
      return requireFound(found.accountId === accountId ? found : null, 'settlement', requestId)
    },
  }
}

function ownKey({ snapshot }: ConsoleParts, accountId: string, keyId: string) {
  const key = snapshot().keys.get(keyId)
  return requireFound(key?.accountId === accountId ? key : null, 'key', keyId)
}

function ownSupplier({ snapshot }: ConsoleParts, accountId: string, supplierId: string): Supplier {
  const supplier = snapshot().supply.suppliers.get(supplierId)
  return requireFound(isOwn(supplier, accountId) ? supplier : null, 'supplier', supplierId)
}

function isOwn(supplier: Supplier | undefined, accountId: string): boolean {
  return supplier?.source === 'byok' && supplier.accountId === accountId
}

async function setBodyStorage(
  parts: ConsoleParts,
  setting: BodyStorage,
  actor: string,
): Promise<BodyStorage> {
  const { bodies, storage, audit, events, log } = parts
  requireAccount(parts.snapshot(), setting.accountId)
  const event = audit.event({
    actor,
    action: 'account.body_storage_changed',
    subject: setting.accountId,
    before: BodyStorageView.show(bodies.settingOf(setting.accountId)),
    after: BodyStorageView.show(setting),
  })
  await storage.saveBodyStorage(setting, event)
  bodies.set(setting)
  events.noteChange(setting.accountId, ['body-storage'])
  // What is to be kept no longer goes at once, but nobody waits for it.
  bodies.sweep().catch((error: unknown) => log.trouble('old bodies could not be deleted', error))
  return setting
}
