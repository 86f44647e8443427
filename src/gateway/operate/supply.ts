import { isDeepStrictEqual } from 'node:util'
import { listSupply, withSupply } from '../../rules/catalog/build-snapshot.ts'
import {
  type Credential,
  type CredentialChange,
  type CredentialSettings,
  CredentialView,
  Supplier,
  type SupplierSettings,
  viewCredential,
} from '../../vocabulary/supply.ts'
import type { Operations } from '../ports/operations.ts'
import type { Change, ChangeDesk } from './change-desk.ts'
import { pageOf, positionById } from './paging.ts'
import { nameSome, refuse, requireCredential, requireSupplier } from './refuse.ts'
import { checkSecret, checkSupplier, completeSupplier } from './supplier-settings.ts'

export interface SupplyOperations
  extends Pick<
    Operations,
    | 'listSuppliers'
    | 'findSupplier'
    | 'putSupplier'
    | 'deleteSupplier'
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
    deleteSupplier: (id, actor) => makeChange(actor, (change) => deleteUnusedSupplier(change, id)),
    addCredential: (supplierId, input, actor) =>
      makeChange(actor, (change) => addCredential(change, supplierId, input)),
    listCredentials: (supplierId, page) => {
      const snapshot = configuration.current()
      requireSupplier(snapshot, supplierId)
      const credentials = snapshot.supply.credentialsBySupplier.get(supplierId) ?? []
      return pageOf(credentials.map(viewCredential), page, positionById)
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

export async function putSupplier(change: Change, given: SupplierSettings): Promise<Supplier> {
  const before = change.snapshot.supply.suppliers.get(given.id) ?? null
  const after = completeSupplier(change.parts, given)
  checkSupplier(change.parts, after)
  if (isDeepStrictEqual(before, after)) return after
  const action = before ? 'supplier.changed' : 'supplier.created'
  const described = { before: before && Supplier.show(before), after: Supplier.show(after) }
  await change.parts.storage.saveSupplier(after, change.audit(action, after.id, described))
  change.publish((snapshot) => {
    const others = listSupply(snapshot.supply).suppliers.filter((each) => each.id !== after.id)
    return withSupply(snapshot, { suppliers: [...others, after] })
  })
  return after
}

async function deleteUnusedSupplier(change: Change, id: string): Promise<void> {
  requireSupplier(change.snapshot, id)
  const routes = listSupply(change.snapshot.supply).routes.filter(({ supplierId }) => supplierId === id)
  if (routes.length > 0) {
    const models = nameSome(routes.map(({ modelId }) => modelId))
    refuse('id', `Supplier "${id}" has routes of ${models}; delete these routes first.`)
  }
  await deleteSupplier(change, id)
}

/** Takes its routes and credentials along. */
export async function deleteSupplier(change: Change, id: string): Promise<void> {
  const before = requireSupplier(change.snapshot, id)
  const naming = [...change.snapshot.keys.values()].find(
    ({ state, routePolicy }) =>
      state !== 'revoked' && routePolicy.mode === 'specified_provider' && routePolicy.provider === id,
  )
  // Such a key could serve nothing any more, and nobody would see why.
  if (naming !== undefined)
    refuse('id', `Key "${naming.name}" is bound to this supplier; change the key first.`)
  const described = { before: Supplier.show(before), after: null }
  await change.parts.storage.deleteSupplier(id, change.audit('supplier.deleted', id, described))
  change.publish((snapshot) => {
    const { suppliers, credentials, routes } = listSupply(snapshot.supply)
    return withSupply(snapshot, {
      suppliers: suppliers.filter((each) => each.id !== id),
      credentials: credentials.filter((each) => each.supplierId !== id),
      routes: routes.filter((each) => each.supplierId !== id),
    })
  })
}

async function addCredential(
  change: Change,
  supplierId: string,
  input: CredentialSettings,
): Promise<CredentialView> {
  checkSecret(change.parts, requireSupplier(change.snapshot, supplierId), input.secret)
  const credential: Credential = { ...input, id: change.parts.random.id('cred'), supplierId }
  return saveCredential(change, 'credential.added', { before: null, after: credential })
}

async function changeCredential(change: Change, id: string, edit: CredentialChange): Promise<CredentialView> {
  const before = requireCredential(change.snapshot, id)
  const after = { ...before, ...edit }
  const isRotated = after.secret !== before.secret
  if (isRotated) checkSecret(change.parts, requireSupplier(change.snapshot, before.supplierId), after.secret)
  // What is shown of a credential may look the same before and after, so the action says what happened.
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
): Promise<CredentialView> {
  checkCredentialSettings(after)
  const view = viewCredential(after)
  if (isDeepStrictEqual(before, after)) return view
  const described = { before: before && showCredential(before), after: CredentialView.show(view) }
  await change.parts.storage.saveCredential(after, change.audit(action, after.id, described))
  publishCredentials(change, after.id, [after])
  return view
}

/** A credential as the audit tells of it. */
export function showCredential(credential: Credential) {
  return CredentialView.show(viewCredential(credential))
}

async function deleteCredential(change: Change, id: string): Promise<void> {
  const before = requireCredential(change.snapshot, id)
  const described = { before: showCredential(before), after: null }
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
export function checkCredentialSettings({ weight }: Pick<Credential, 'weight'>): void {
  if (!Number.isFinite(weight) || weight <= 0) {
    refuse('weight', 'weight must be a number greater than zero.')
  }
}
