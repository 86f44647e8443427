import type { SealedPlace, Sealer } from '../../../rules/access/server-secret.ts'
import type { Credential, CredentialState } from '../../../vocabulary/supply.ts'
import { decodeInteger, encodeInteger } from '../columns.ts'
import type { Database } from '../database.ts'
import { upsertRow } from '../statements.ts'

interface CredentialRow {
  readonly id: string
  readonly supplier_id: string
  readonly sealed_secret: string
  readonly label: string | null
  readonly rpm: bigint | null
  readonly tpm: bigint | null
  readonly weight: number | bigint
  readonly state: CredentialState
}

const CREDENTIALS = { name: 'credentials', key: ['id'] }

function placeOf(id: string): SealedPlace {
  return { table: 'credentials', column: 'sealed_secret', id }
}

export async function saveCredential(tx: Database, credential: Credential, secrets: Sealer): Promise<void> {
  await upsertRow(tx, CREDENTIALS, {
    id: credential.id,
    supplier_id: credential.supplierId,
    sealed_secret: secrets.seal(credential.secret, placeOf(credential.id)),
    label: credential.label,
    rpm: encodeInteger(credential.rpm),
    tpm: encodeInteger(credential.tpm),
    weight: credential.weight,
    state: credential.state,
  })
}

export async function deleteCredential(tx: Database, id: string): Promise<void> {
  await tx.rows('delete from credentials where id = $1', [id])
}

export async function loadCredentials(database: Database, secrets: Sealer): Promise<Credential[]> {
  const rows = await database.rows<CredentialRow>(
    `select id, supplier_id, sealed_secret, label, rpm, tpm, weight, state
    from credentials order by supplier_id, id`,
    [],
  )
  return rows.map((row) => ({
    id: row.id,
    supplierId: row.supplier_id,
    secret: openSecret(row, secrets),
    label: row.label,
    rpm: decodeInteger(row.rpm),
    tpm: decodeInteger(row.tpm),
    weight: Number(row.weight),
    state: row.state,
  }))
}

function openSecret(row: CredentialRow, secrets: Sealer): string {
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
