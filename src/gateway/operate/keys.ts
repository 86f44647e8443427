import { isDeepStrictEqual } from 'node:util'
import { withKey } from '../../rules/catalog/build-snapshot.ts'
import { describeKey } from '../../rules/catalog/describe-key.ts'
import { lastFourOf } from '../../rules/catalog/describe-supply.ts'
import { dayOf, nextPeriodMs } from '../../rules/ledger/period.ts'
import type { ApiKey, KeySecret } from '../../vocabulary/api-key.ts'
import type { IssuedKey, KeySettings, KeyUsage, Operations } from '../ports/operations.ts'
import type { Change, ChangeDesk } from './change-desk.ts'
import { checkKeySettings } from './key-settings.ts'
import { pageOf, positionByAge } from './paging.ts'
import type { OperationParts } from './parts.ts'
import { refuse, requireAccount, requireKey } from './refuse.ts'

export interface NewKey {
  readonly settings: KeySettings
  /** Starts with `sk-`. */
  readonly secret: string
}

export interface KeyOperations
  extends Pick<
    Operations,
    'createKey' | 'listKeys' | 'findKey' | 'changeKey' | 'rotateKey' | 'revokeKey' | 'usageOf'
  > {
  /** Creates a key whose secret was chosen beforehand, for a first start that is told its key. */
  issueKey(accountId: string, input: NewKey, actor: string): Promise<IssuedKey>
}

type KeyEdit = Partial<KeySettings> & { state?: 'active' | 'disabled' }

export function keyOperations({ parts, makeChange }: ChangeDesk): KeyOperations {
  const { configuration, random } = parts
  return {
    createKey: (accountId, settings, actor) =>
      makeChange(actor, (change) => issueKey(change, accountId, { settings, secret: random.secret() })),
    issueKey: (accountId, input, actor) => makeChange(actor, (change) => issueKey(change, accountId, input)),
    listKeys: (accountId, page) => {
      requireAccount(configuration.current(), accountId)
      const keys = [...configuration.current().keys.values()]
      return pageOf(
        keys.filter((key) => key.accountId === accountId),
        page,
        positionByAge,
      )
    },
    findKey: (id) => requireKey(configuration.current(), id),
    changeKey: (id, edit, actor) => makeChange(actor, (change) => changeKey(change, id, edit)),
    rotateKey: (id, graceSeconds, actor) =>
      makeChange(actor, (change) => rotateKey(change, id, graceSeconds)),
    revokeKey: (id, actor) => makeChange(actor, (change) => revokeKey(change, id)),
    usageOf: async (keys) => {
      await parts.money.refresh({ keyIds: keys.map(({ id }) => id) })
      return keys.map((key) => usageOf(parts, key))
    },
  }
}

function usageOf({ money, clock }: OperationParts, { id, usageLimit }: ApiKey): KeyUsage {
  const period = usageLimit?.period ?? 'forever'
  const { spentNano, heldNano } = money.keyMoney(id, period)
  const leftNano = (usageLimit?.amountNano ?? 0n) - spentNano
  return {
    period,
    spentNano,
    heldNano,
    // What a request cost may lie above what was held for it.
    remainingNano: usageLimit && (leftNano < 0n ? 0n : leftNano),
    resetsAtMs: nextPeriodMs(period, dayOf(clock.nowMs())),
    monthSpentNano: money.keyMoney(id, 'monthly').spentNano,
  }
}

async function issueKey(change: Change, accountId: string, input: NewKey): Promise<IssuedKey> {
  const account = requireAccount(change.snapshot, accountId)
  checkKeySettings(change, account, input.settings)
  const key: ApiKey = {
    ...input.settings,
    id: change.parts.random.id('key'),
    accountId,
    state: 'active',
    createdAtMs: change.nowMs,
    secrets: [keepSecret(change, input.secret)],
  }
  await saveKey(change, 'key.created', { before: null, after: key })
  return { key, secret: input.secret }
}

async function changeKey(change: Change, id: string, edit: KeyEdit): Promise<ApiKey> {
  const before = requireUsableKey(change, id)
  checkKeySettings(change, requireAccount(change.snapshot, before.accountId), edit)
  const after: ApiKey = { ...before, ...edit }
  return saveKey(change, 'key.changed', { before, after })
}

async function rotateKey(change: Change, id: string, graceSeconds: number): Promise<IssuedKey> {
  if (!Number.isSafeInteger(graceSeconds) || graceSeconds < 0) {
    refuse('grace_seconds', 'grace_seconds must be a whole number, 0 or more.')
  }
  const before = requireUsableKey(change, id)
  const secret = change.parts.random.secret()
  const graceEndsAtMs = change.nowMs + graceSeconds * 1000
  // An older secret that was given a longer time lives no longer than this grace: a leak must be stoppable.
  const older = before.secrets.map((each) => ({
    ...each,
    expiresAtMs: Math.min(each.expiresAtMs ?? graceEndsAtMs, graceEndsAtMs),
  }))
  const living = older.filter((each) => each.expiresAtMs > change.nowMs)
  const after: ApiKey = { ...before, secrets: [keepSecret(change, secret), ...living] }
  await saveKey(change, 'key.rotated', { before, after })
  return { key: after, secret }
}

async function revokeKey(change: Change, id: string): Promise<ApiKey> {
  const before = requireKey(change.snapshot, id)
  return saveKey(change, 'key.revoked', { before, after: { ...before, state: 'revoked' } })
}

async function saveKey(
  change: Change,
  action: string,
  { before, after }: { before: ApiKey | null; after: ApiKey },
): Promise<ApiKey> {
  if (isDeepStrictEqual(before, after)) return after
  const described = {
    before: before && describeKey(before, change.nowMs),
    after: describeKey(after, change.nowMs),
  }
  await change.parts.storage.saveKey(after, change.audit(action, after.id, described))
  change.publish((snapshot) => withKey(snapshot, after))
  return after
}

function requireUsableKey(change: Change, id: string): ApiKey {
  const key = requireKey(change.snapshot, id)
  if (key.state === 'revoked') refuse('id', `Key "${id}" is revoked, which is final.`)
  return key
}

function keepSecret(change: Change, secret: string): KeySecret {
  if (!/^sk-[\x21-\x7e]{1,250}$/.test(secret)) {
    refuse('secret', 'A key secret starts with "sk-" and has no spaces.')
  }
  const fingerprint = change.parts.secrets.fingerprint(secret)
  if (change.snapshot.secretsByFingerprint.has(fingerprint)) {
    refuse('secret', 'This secret belongs to a key already.')
  }
  return { fingerprint, lastFour: lastFourOf(secret) ?? '', expiresAtMs: null }
}
