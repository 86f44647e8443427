import type { DataFolder } from '../../edges/settings/data-folder.ts'
import type { LocalOperations } from '../../manage/operations/parts.ts'
import type { UserOperations } from '../../manage/ports/identity.ts'
import type { SecretKeeper } from '../../rules/access/server-secret.ts'
import { KeyCreate } from '../../vocabulary/api-key.ts'
import { UserCreate } from '../../vocabulary/user.ts'

export const SECRET_FILE = 'server-secret'
export const OPERATOR_FILE = 'operator-token.fingerprint'
const ACTOR = 'first-start'

/** The server secret: from the environment, else from the data folder, else a new one. */
export function findServerSecret(configured: string | null, folder: DataFolder): string {
  if (configured !== null) return configured
  // A start that was killed while writing leaves an empty file. Nothing is sealed with that secret yet.
  const kept = folder.read(SECRET_FILE) || null
  if (kept !== null) return kept
  const made = makeServerSecret()
  folder.write(SECRET_FILE, made)
  return made
}

export function makeServerSecret(): string {
  return randomText(48)
}

export interface OperatorAccess {
  /** Of the token in force. */
  readonly fingerprint: string
  /** Only when it is new: it is shown once and not stored. */
  readonly newToken: string | null
  /** Stores the fingerprint for later starts. Call it once the token is certain to be shown. */
  keep(): void
  /** Takes over a token that `turnpike operator reset-token` has made meanwhile. Call about once a second. */
  beat(): void
}

export function findOperatorAccess(
  configured: string | null,
  folder: DataFolder,
  secrets: Pick<SecretKeeper, 'fingerprint'>,
): OperatorAccess {
  const nothing = () => {}
  if (configured !== null) {
    return { fingerprint: secrets.fingerprint(configured), newToken: null, keep: nothing, beat: nothing }
  }
  const kept = folder.read(OPERATOR_FILE) || null
  const newToken = kept === null ? makeOperatorToken() : null
  let fingerprint = kept ?? secrets.fingerprint(newToken ?? '')
  return {
    get fingerprint() {
      return fingerprint
    },
    newToken,
    keep: newToken === null ? nothing : () => folder.write(OPERATOR_FILE, fingerprint),
    beat: () => {
      fingerprint = readQuietly(folder) ?? fingerprint
    },
  }
}

/** A folder that cannot be read for a moment changes nothing. */
function readQuietly(folder: DataFolder): string | null {
  try {
    return folder.read(OPERATOR_FILE) || null
  } catch {
    return null
  }
}

/** Replaces the token that an earlier start made. Returns null when none did, because the environment has it. */
export function replaceOperatorToken(
  folder: Pick<DataFolder, 'read' | 'write'>,
  secrets: Pick<SecretKeeper, 'fingerprint'>,
): string | null {
  if (!folder.read(OPERATOR_FILE)) return null
  const token = makeOperatorToken()
  folder.write(OPERATOR_FILE, secrets.fingerprint(token))
  return token
}

function makeOperatorToken(): string {
  return `op-${randomText(48)}`
}

/** Creates the first account, without a spending limit, and its key. Returns the key's secret; null when accounts exist. */
export async function makeFirstAccount(
  operations: LocalOperations,
  bootstrapKey: string | null,
): Promise<string | null> {
  const accounts = (await operations.listAccounts({ limit: 2, cursor: null })).data
  const [first] = accounts
  // An earlier start may have ended between creating the account and its key.
  const isUnfinished = accounts.length === 1 && first !== undefined && (await hasNoKey(operations, first.id))
  if (accounts.length > 0 && !isUnfinished) return null
  const account = first ?? (await operations.createAccount({ name: 'First account', email: null }, ACTOR))
  // A team that runs the gateway for itself needs no payments; its ledger still shows what everything cost.
  await operations.changeAccount(account.id, { creditLineNano: null }, ACTOR)
  const settings = KeyCreate.read({ name: 'First key' })
  if (bootstrapKey === null) return (await operations.createKey(account.id, settings, ACTOR)).secret
  return (await operations.issueKey(account.id, { settings, secret: bootstrapKey }, ACTOR)).secret
}

async function hasNoKey(operations: LocalOperations, accountId: string): Promise<boolean> {
  return (await operations.listKeys(accountId, { limit: 1, cursor: null })).data.length === 0
}

export const FIRST_EMAIL = 'admin@localhost'

export interface FirstUser {
  readonly email: string
  readonly password: string
}

/** Creates the first console user, an operator. Returns null when users exist. */
export async function makeFirstUser(
  users: Pick<UserOperations, 'listUsers' | 'createUser'>,
  operations: Pick<LocalOperations, 'listAccounts'>,
): Promise<FirstUser | null> {
  if ((await users.listUsers({ limit: 1, cursor: null })).data.length > 0) return null
  const [first] = (await operations.listAccounts({ limit: 1, cursor: null })).data
  const { password } = await users.createUser(
    UserCreate.read({
      email: FIRST_EMAIL,
      name: 'Administrator',
      is_operator: true,
      account_id: first?.id ?? null,
    }),
    ACTOR,
  )
  return password === null ? null : { email: FIRST_EMAIL, password }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // Bytes past the last whole alphabet would make some characters likelier than others.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length)
    }
  }
  return text
}
