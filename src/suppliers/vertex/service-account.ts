import { createPrivateKey } from 'node:crypto'
import { asObject, asText, tryParseJson } from '../../wire/json-values.ts'

/** The file Google gives out for a service account, as far as it is needed. */
export interface ServiceAccount {
  readonly clientEmail: string
  /** PEM. */
  readonly privateKey: string
  readonly privateKeyId: string | null
  readonly projectId: string | null
}

/** null when the text is no service account. */
export function readServiceAccount(secret: string): ServiceAccount | null {
  const file = asObject(tryParseJson(secret))
  const clientEmail = asText(file?.client_email)
  const privateKey = asText(file?.private_key)
  if (file === null || clientEmail === null || privateKey === null) return null
  return {
    clientEmail,
    privateKey,
    privateKeyId: asText(file.private_key_id),
    projectId: asText(file.project_id),
  }
}

export function checkServiceAccount(secret: string): string | null {
  const account = readServiceAccount(secret)
  if (account === null) {
    return 'secret must be the JSON of a service account key, with client_email and private_key.'
  }
  return isRsaKey(account.privateKey) ? null : 'private_key in secret must be an RSA key in PEM.'
}

function isRsaKey(privateKey: string): boolean {
  try {
    return createPrivateKey(privateKey).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
