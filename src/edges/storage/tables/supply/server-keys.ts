import type { SealedPlace, Sealer } from '../../../../rules/access/server-secret.ts'
import { text } from '../../../../vocabulary/field.ts'
import { shape } from '../../../../vocabulary/shape.ts'
import type { Database } from '../../database.ts'
import { tableOf } from '../../table.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'
import { loadCredentials } from './supply.ts'

const KEYS = tableOf('server_keys', shape('ServerKey', { name: text(), sealedKey: text() }), {
  key: ['name'],
})
const FINGERPRINT = 'fingerprint'
export const FINGERPRINT_PLACE: SealedPlace = { ...SEALED_COLUMNS.serverKeys, id: FINGERPRINT }

/**
 * The key that API keys are fingerprinted with. `first` becomes it when the database has none yet; of several nodes
 * that start together one writes it, and all read what was written.
 */
export function keepFingerprintKey(database: Database, first: string, secrets: Sealer): Promise<string> {
  return database.transaction(async (tx) => {
    const kept = await findFingerprintKey(tx)
    if (kept !== null) return openKey(kept, secrets)
    // A start with the wrong secret must not leave behind a key that the right one cannot open.
    await loadCredentials(tx, secrets)
    const sealedKey = secrets.seal(first, FINGERPRINT_PLACE)
    await KEYS.insert(tx, { name: FINGERPRINT, sealedKey }, ['name'])
    return openKey((await findFingerprintKey(tx)) ?? '', secrets)
  })
}

/** As it is stored; null in a database that no node of this version has opened. */
export async function findFingerprintKey(database: Database): Promise<string | null> {
  return (await KEYS.find(database, { name: FINGERPRINT }))?.sealedKey ?? null
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
