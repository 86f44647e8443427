import {
  type Credential,
  Supplier,
  type WantedCredential,
  type WantedSupplier,
} from '../../../vocabulary/supply.ts'
import type { SupplyPath } from '../../ports/supply-application.ts'
import { checkSecret, checkSupplier, completeSupplier } from '../supplier-settings.ts'
import { checkCredentialSettings, showCredential } from '../supply.ts'
import {
  collectProblem,
  differingFields,
  makeStep,
  type Planning,
  refuseDuplicates,
  type SupplyStep,
} from './supply-step.ts'

/** The steps for a document's suppliers and their credentials. */
export function planSuppliers(planning: Planning): SupplyStep[] {
  const { suppliers } = planning.document
  const ids = suppliers.map(({ id }) => id)
  refuseDuplicates(planning, ids, (index) => ['suppliers', index, 'id'])
  return suppliers.flatMap((wanted, index) => {
    const path = ['suppliers', index]
    const supplier = planning.suppliers.get(wanted.id) ?? settingsOf(planning.parts, wanted)
    collectProblem(planning, path, () => checkSupplier(planning.parts, supplier))
    return [planSupplier(planning, supplier), ...planCredentials(planning, wanted, path)]
  })
}

/** A supplier as it would be stored. */
export function settingsOf(
  parts: Planning['parts'],
  { credentials: _, ...supplier }: WantedSupplier,
): Supplier {
  return completeSupplier(parts, supplier)
}

function planSupplier({ supply }: Planning, supplier: Supplier): SupplyStep {
  const before = supply.suppliers.get(supplier.id)
  const fields = before ? differingFields(Supplier.show(before), Supplier.show(supplier)) : []
  return makeStep(
    { kind: 'supplier', id: supplier.id, isNew: before === undefined, fields },
    (writer, actor) => writer.putSupplier(supplier, actor),
  )
}

function planCredentials(planning: Planning, wanted: WantedSupplier, path: SupplyPath): SupplyStep[] {
  const place = (index: number) => [...path, 'credentials', index]
  const labels = wanted.credentials.map(({ label }) => label)
  refuseDuplicates(planning, labels, (index) => [...place(index), 'label'])
  const known = planning.supply.credentialsBySupplier.get(wanted.id) ?? []
  return wanted.credentials.map((credential, index) => {
    collectProblem(planning, place(index), () => {
      checkCredentialSettings(credential)
      checkSecret(planning.parts, wanted, credential.secret)
    })
    const namesakes = known.filter(({ label }) => label === credential.label)
    if (namesakes.length > 1) {
      const message = `stands for ${namesakes.length} credentials of this supplier; give each a label of its own.`
      planning.problems.push({ path: [...place(index), 'label'], message })
    }
    return planCredential(planning, wanted.id, { credential, before: namesakes[0] ?? null })
  })
}

interface CredentialPair {
  readonly credential: WantedCredential
  readonly before: Credential | null
}

function planCredential(
  { options }: Planning,
  supplierId: string,
  { credential, before }: CredentialPair,
): SupplyStep {
  const id = `${supplierId}/${credential.label}`
  if (before === null) {
    return makeStep({ kind: 'credential', id, isNew: true, fields: [] }, (writer, actor) =>
      writer.addCredential(supplierId, credential, actor),
    )
  }
  const { secret, rpm, tpm, weight, state } = credential
  // A secret is renewed because the old one was no good any more, so what was switched off for it is on again.
  const renewal = secret === before.secret ? {} : { secret, state: 'active' as const }
  const edit = options.keepExisting ? renewal : { secret, rpm, tpm, weight, state }
  const fields = credentialFields(before, { ...before, ...edit })
  return makeStep({ kind: 'credential', id, isNew: false, fields }, (writer, actor) =>
    writer.changeCredential(before.id, edit, actor),
  )
}

/** Of a secret only that it changed is told. */
function credentialFields(before: Credential, after: Credential): string[] {
  const fields = differingFields(showCredential(before), showCredential(after))
  const others = fields.filter((name) => name !== 'last_four')
  return before.secret === after.secret ? others : ['secret', ...others]
}
