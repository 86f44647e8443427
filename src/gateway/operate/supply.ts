import { isDeepStrictEqual } from 'node:util'
import { listSupply, withSupply } from '../../rules/catalog/build-snapshot.ts'
import { describeCredential, describeSupplier } from '../../rules/catalog/describe-supply.ts'
import type { Credential, Supplier } from '../../vocabulary/supply.ts'
import type { CredentialSettings, Operations } from '../ports/operations.ts'
import type { Change, ChangeDesk } from './change-desk.ts'
import { pageOf, positionById } from './paging.ts'
import { refuse, requireCredential, requireSupplier } from './refuse.ts'
import { checkSecret, checkSupplier } from './supplier-settings.ts'

export interface SupplyOperations
  extends Pick<
    Operations,
    | 'listSuppliers'
    | 'findSupplier'
    | 'putSupplier'
    | 'addCredential'
    | 'listCredentials'
    | 'changeCredential'
    | 'deleteCredential'
  > {
  /**
   * Disables a credential that a supplier has refused. False when somebody, on whichever node, has seen to it since:
   * it is gone, not in use, or has another secret than the refused one.
   */
  disableRefused(refused: Credential, actor: string): Promise<boolean>
}

export function supplyOperations({ parts, makeChange }: ChangeDesk): SupplyOperations {
  const { configuration } = parts
  return {
    listSuppliers: (page) => pageOf(configuration.current().supply.suppliers.values(), page, positionById),
    findSupplier: (id) => requireSupplier(configuration.current(), id),
    putSupplier: (supplier, actor) => makeChange(actor, (change) => putSupplier(change, supplier)),
    addCredential: (supplierId, input, actor) =>
      makeChange(actor, (change) => addCredential(change, supplierId, input)),
    listCredentials: (supplierId, page) => {
      const snapshot = configuration.current()
      requireSupplier(snapshot, supplierId)
      return pageOf(snapshot.supply.credentialsBySupplier.get(supplierId) ?? [], page, positionById)
    },
    changeCredential: (id, edit, actor) => makeChange(actor, (change) => changeCredential(change, id, edit)),
    deleteCredential: (id, actor) => makeChange(actor, (change) => deleteCredential(change, id)),
    disableRefused: (refused, actor) => makeChange(actor, (change) => disableRefused(change, refused)),
  }
}

async function disableRefused(change: Change, { id, supplierId, secret }: Credential): Promise<boolean> {
  const { credentialsBySupplier } = change.snapshot.supply
  const before = credentialsBySupplier.get(supplierId)?.find((credential) => credential.id === id)
  if (before?.state !== 'active' || before.secret !== secret) return false
  const after: Credential = { ...before, state: 'disabled' }
  await saveCredential(change, 'credential.changed', { before, after })
  return true
}

export async function putSupplier(change: Change, given: Supplier): Promise<Supplier> {
  const before = change.snapshot.supply.suppliers.get(given.id) ?? null
  checkSupplier(change.parts, given)
  // Every address is this text plus a path that begins with a slash.
  const after: Supplier = { ...given, baseUrl: given.baseUrl.replace(/\/+$/, '') }
  if (isDeepStrictEqual(before, after)) return after
  const action = before ? 'supplier.changed' : 'supplier.created'
  const described = { before: before && describeSupplier(before), after: describeSupplier(after) }
  await change.parts.storage.saveSupplier(after, change.audit(action, after.id, described))
  change.publish((snapshot) => {
    const others = listSupply(snapshot.supply).suppliers.filter((each) => each.id !== after.id)
    return withSupply(snapshot, { suppliers: [...others, after] })
  })
  return after
}

async function addCredential(
  change: Change,
  supplierId: string,
  input: CredentialSettings & { secret: string },
): Promise<Credential> {
  checkSecret(change.parts, requireSupplier(change.snapshot, supplierId), input.secret)
  const credential: Credential = { ...input, id: change.parts.random.id('cred'), supplierId }
  return saveCredential(change, 'credential.added', { before: null, after: credential })
}

async function changeCredential(
  change: Change,
  id: string,
  edit: Partial<CredentialSettings & { secret: string }>,
): Promise<Credential> {
  const before = requireCredential(change.snapshot, id)
  const after = { ...before, ...edit }
  const isRotated = after.secret !== before.secret
  if (isRotated) checkSecret(change.parts, requireSupplier(change.snapshot, before.supplierId), after.secret)
  // What is described of a credential may look the same before and after, so the action says what happened.
  const action = isRotated ? 'credential.rotated' : 'credential.changed'
  const saved = await saveCredential(change, action, { before, after })
  // Whoever switches a credential on again has seen to what was wrong with it.
  const { supplierId } = before
  if (before.state !== 'active') change.parts.routing.forgetCredential({ supplierId, credentialId: id })
  return saved
}

async function saveCredential(
  change: Change,
  action: string,
  { before, after }: { before: Credential | null; after: Credential },
): Promise<Credential> {
  checkCredentialSettings(after)
  if (isDeepStrictEqual(before, after)) return after
  const described = { before: before && describeCredential(before), after: describeCredential(after) }
  await change.parts.storage.saveCredential(after, change.audit(action, after.id, described))
  publishCredentials(change, after.id, [after])
  return after
}

async function deleteCredential(change: Change, id: string): Promise<void> {
  const before = requireCredential(change.snapshot, id)
  const described = { before: describeCredential(before), after: null }
  await change.parts.storage.deleteCredential(id, change.audit('credential.deleted', id, described))
  publishCredentials(change, id, [])
}

function publishCredentials(change: Change, id: string, replacement: readonly Credential[]): void {
  change.publish((snapshot) => {
    const others = listSupply(snapshot.supply).credentials.filter((each) => each.id !== id)
    return withSupply(snapshot, { credentials: [...others, ...replacement] })
  })
}

/** Refuses limits and weights no credential can have. */
export function checkCredentialSettings(settings: CredentialSettings): void {
  if (!Number.isFinite(settings.weight) || settings.weight <= 0) {
    refuse('weight', 'weight must be a number greater than zero.')
  }
}
