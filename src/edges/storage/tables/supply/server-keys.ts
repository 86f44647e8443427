import type { SealedPlace, Sealer } from '../../../../rules/access/server-secret.ts'
import type { Database } from '../../database.ts'
import { queryOn } from '../../query.ts'
import { loadCredentials } from './credentials.ts'

const FINGERPRINT = 'fingerprint'
export const FINGERPRINT_PLACE: SealedPlace = { table: 'server_keys', column: 'sealed_key', id: FINGERPRINT }

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
    await queryOn(tx)
      .insertInto('server_keys')
      .values({ name: FINGERPRINT, sealed_key: secrets.seal(first, FINGERPRINT_PLACE) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    return openKey((await findFingerprintKey(tx)) ?? '', secrets)
  })
}

/** As it is stored; null in a database that no node of this version has opened. */
export async function findFingerprintKey(database: Database): Promise<string | null> {
  const row = await queryOn(database)
    .selectFrom('server_keys')
    .select('sealed_key')
    .where('name', '=', FINGERPRINT)
    .executeTakeFirst()
  return row?.sealed_key ?? null
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
