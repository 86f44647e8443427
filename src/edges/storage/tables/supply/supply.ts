import type { SealedPlace, Sealer } from '../../../../rules/access/server-secret.ts'
import { text } from '../../../../vocabulary/field.ts'
import { shape } from '../../../../vocabulary/shape.ts'
import { Credential, Model, Route, Supplier, USUAL_TIMEOUTS } from '../../../../vocabulary/supply.ts'
import type { Database } from '../../engines/database.ts'
import type { StoreMethods } from '../../store.ts'
import { tableOf } from '../../table.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'

// Suppliers of early versions have no timeouts.
const StoredSupplier = Supplier.with('StoredSupplier', { timeouts: Supplier.fields.timeouts.nullable() })
const SealedCredential = Credential.without('SealedCredential', ['secret']).with('SealedCredential', {
  sealedSecret: text(),
})

const SUPPLIERS = tableOf('suppliers', StoredSupplier, { key: ['id'] })
const CREDENTIALS = tableOf('credentials', SealedCredential, { key: ['id'], order: ['supplier_id', 'id'] })
const MODELS = tableOf('models', Model, { key: ['id'] })
const ROUTES = tableOf('routes', Route, {
  key: ['model_id', 'supplier_id'],
  order: ['model_id', 'priority', 'supplier_id'],
})

export const supplyStore = {
  saveSupplier: ({ changes }, supplier, event) => changes.write(event, (tx) => SUPPLIERS.save(tx, supplier)),
  saveCredential: ({ changes, secrets }, credential, event) =>
    changes.write(event, (tx) => {
      const sealedSecret = secrets.seal(credential.secret, {
        ...SEALED_COLUMNS.credentials,
        id: credential.id,
      })
      return CREDENTIALS.save(tx, { ...credential, sealedSecret })
    }),
  saveModel: ({ changes }, model, event) => changes.write(event, (tx) => MODELS.save(tx, model)),
  saveRoute: ({ changes }, route, event) => changes.write(event, (tx) => ROUTES.save(tx, route)),
  deleteSupplier: ({ changes }, id, event) =>
    changes.write(event, async (tx) => {
      await ROUTES.remove(tx, { supplierId: id })
      await CREDENTIALS.remove(tx, { supplierId: id })
      await SUPPLIERS.remove(tx, { id })
    }),
  deleteCredential: ({ changes }, id, event) => changes.write(event, (tx) => CREDENTIALS.remove(tx, { id })),
  deleteModel: ({ changes }, id, event) => changes.write(event, (tx) => MODELS.remove(tx, { id })),
  deleteRoute: ({ changes }, { modelId, supplierId }, event) =>
    changes.write(event, (tx) => ROUTES.remove(tx, { modelId, supplierId })),
} satisfies Partial<StoreMethods>

export async function loadSupply(database: Database, secrets: Sealer) {
  const suppliers = await SUPPLIERS.list(database)
  return {
    suppliers: suppliers.map(({ timeouts, ...rest }) => ({ ...rest, timeouts: timeouts ?? USUAL_TIMEOUTS })),
    credentials: await loadCredentials(database, secrets),
    models: await MODELS.list(database),
    routes: await ROUTES.list(database),
  }
}

export async function loadCredentials(database: Database, secrets: Sealer): Promise<Credential[]> {
  const sealed = await CREDENTIALS.list(database)
  return sealed.map(({ sealedSecret, ...rest }) => ({
    ...rest,
    secret: openSecret(rest.id, sealedSecret, secrets),
  }))
}

function openSecret(id: string, sealed: string, secrets: Sealer): string {
  try {
    return secrets.open(sealed, { ...SEALED_COLUMNS.credentials, id })
  } catch (cause) {
    throw new Error(
      `Credential ${id} cannot be opened: it was stored under another TURNPIKE_SECRET or for another row, or altered since. ` +
        'Start with the secret it was stored under, or delete the credential and enter it again.',
      { cause },
    )
  }
}

const SERVER_KEYS = tableOf('server_keys', shape('ServerKey', { name: text(), sealedKey: text() }), {
  key: ['name'],
})
const FINGERPRINT = 'fingerprint'
export const FINGERPRINT_PLACE: SealedPlace = { ...SEALED_COLUMNS.serverKeys, id: FINGERPRINT }

/**
 * The key for the fingerprints of API keys. `first` is stored when the database has none yet. Of several nodes that start
 * together one writes it, and all read the written one.
 */
export function keepFingerprintKey(database: Database, first: string, secrets: Sealer): Promise<string> {
  return database.transaction(async (tx) => {
    const kept = await findFingerprintKey(tx)
    if (kept !== null) return openKey(kept, secrets)
    // A start with the wrong secret must not store a key that the right secret cannot decrypt.
    await loadCredentials(tx, secrets)
    const sealedKey = secrets.seal(first, FINGERPRINT_PLACE)
    await SERVER_KEYS.insert(tx, { name: FINGERPRINT, sealedKey }, ['name'])
    return openKey((await findFingerprintKey(tx)) ?? '', secrets)
  })
}

/** The encrypted key; null in a database that no node of this version has opened. */
export async function findFingerprintKey(database: Database): Promise<string | null> {
  return (await SERVER_KEYS.find(database, { name: FINGERPRINT }))?.sealedKey ?? null
}

function openKey(sealed: string, secrets: Sealer): string {
  try {
    return secrets.open(sealed, FINGERPRINT_PLACE)
  } catch (cause) {
    throw new Error(
      'The database was sealed under another TURNPIKE_SECRET. Start with that one; ' +
        "'turnpike secret rotate' is how it is changed.",
      { cause },
    )
  }
}
