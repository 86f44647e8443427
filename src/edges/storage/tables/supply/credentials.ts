import type { SealedPlace, Sealer } from '../../../../rules/access/server-secret.ts'
import { Credential } from '../../../../vocabulary/supply.ts'
import type { Database } from '../../database.ts'
import { queryOn, upsert } from '../../query.ts'

// Stored sealed, in a column of its own.
const CredentialRow = Credential.without('CredentialRow', ['secret'])

function placeOf(id: string): SealedPlace {
  return { table: 'credentials', column: 'sealed_secret', id }
}

export async function saveCredential(tx: Database, credential: Credential, secrets: Sealer): Promise<void> {
  const sealed_secret = secrets.seal(credential.secret, placeOf(credential.id))
  await upsert(
    tx,
    { table: 'credentials', key: ['id'] },
    { ...CredentialRow.toRow(credential), sealed_secret },
  )
}

export async function deleteCredential(tx: Database, id: string): Promise<void> {
  await queryOn(tx).deleteFrom('credentials').where('id', '=', id).execute()
}

export async function loadCredentials(database: Database, secrets: Sealer): Promise<Credential[]> {
  const rows = await queryOn(database)
    .selectFrom('credentials')
    .select([...CredentialRow.columns, 'sealed_secret'])
    .orderBy('supplier_id')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...CredentialRow.fromRow(row), secret: openSecret(row, secrets) }))
}

function openSecret(row: { id: string; sealed_secret: string }, secrets: Sealer): string {
  try {
    return secrets.open(row.sealed_secret, placeOf(row.id))
  } catch (cause) {
    throw new Error(
      `Credential ${row.id} cannot be opened: it was stored under another TURNPIKE_SECRET or for another row, or altered since. ` +
        'Start with the secret it was stored under, or delete the credential and enter it anew.',
      { cause },
    )
  }
}
