import { isDeepStrictEqual } from 'node:util'
import { accountLimits } from '../../rules/accounts/tiers.ts'
import { withKey } from '../../rules/catalog/build-snapshot.ts'
import { dayOf, nextPeriodMs } from '../../rules/ledger/period.ts'
import { canServeUnpaid, isVisible } from '../../rules/routing/eligible-routes.ts'
import type { Account } from '../../vocabulary/account.ts'
import {
  type ApiKey,
  type IssuedKey,
  type KeyChange,
  type KeyListQuery,
  type KeySecret,
  type KeySettings,
  type KeyStop,
  KeySummary,
  type KeyUsage,
  type KeyView,
  lastFourOf,
  summarizeKey,
} from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Listing, Page } from '../ports/page.ts'
import { listItems, positionByAge } from './paging.ts'
import type { Change, ChangeQueue, LocalOperations, NewKey, OperationParts } from './parts.ts'
import {
  refuse,
  requireAccount,
  requireFuture,
  requireKey,
  requirePositive,
  requireSane,
  requireText,
} from './refuse.ts'

export function keyOperations({ parts, makeChange }: ChangeQueue) {
  const { configuration, random } = parts
  const issue = async (accountId: string, input: NewKey, actor: string): Promise<IssuedKey> => {
    const key = await makeChange(actor, (change) => issueKey(change, accountId, input))
    return { ...(await viewKey(parts, key)), secret: input.secret }
  }
  return {
    createKey: (accountId, settings, actor) => issue(accountId, { settings, secret: random.secret() }, actor),
    issueKey: issue,
    listKeys: async (accountId, page, query = {}) => {
      if (accountId !== null) requireAccount(configuration.current(), accountId)
      const all = configuration.current().keys.values()
      const keys = [...all].filter((key) => accountId === null || key.accountId === accountId)
      const listing = await listKeys(parts, keys, { page, query })
      return { ...listing, data: await viewKeys(parts, listing.data) }
    },
    findKey: async (id) => viewKey(parts, requireKey(configuration.current(), id)),
    changeKey: async (id, edit, actor) =>
      viewKey(parts, await makeChange(actor, (change) => changeKey(change, id, edit))),
    rotateKey: async (id, graceSeconds, actor) => {
      const secret = random.secret()
      const key = await makeChange(actor, (change) => rotateKey(change, id, { graceSeconds, secret }))
      return { ...(await viewKey(parts, key)), secret }
    },
    revokeKey: async (id, actor) =>
      viewKey(parts, await makeChange(actor, (change) => revokeKey(change, id))),
  } satisfies Partial<LocalOperations>
}

interface KeyQuestion {
  readonly page: Page
  readonly query: KeyListQuery
}

async function listKeys(
  parts: OperationParts,
  keys: readonly ApiKey[],
  { page, query }: KeyQuestion,
): Promise<Listing<ApiKey>> {
  const { state, sort } = query
  const isAboutMoney = state === 'limit_reached' || sort?.endsWith('spent') === true
  if (isAboutMoney) await parts.money.refresh({ keyIds: keys.map(({ id }) => id) })
  const wanted = keys.filter((key) => isInState(parts, key, state))
  return listItems(
    wanted,
    { page, query },
    {
      positionOf: positionByAge,
      textsOf: ({ id, name, secrets }) => [name, id, secrets[0]?.lastFour ?? null],
      rankOf: {
        name: ({ name }) => name,
        created_at: ({ createdAtMs }) => createdAtMs,
        expires_at: ({ expiresAtMs }) => expiresAtMs,
        spent: (key) => usageOf(parts, key).spentNano,
      },
    },
  )
}

function isInState(parts: OperationParts, key: ApiKey, state: KeyListQuery['state']): boolean {
  if (state === undefined) return true
  const { state: present } = summarizeKey(key, parts.clock.nowMs())
  if (state === 'not_revoked') return present !== 'revoked'
  if (state === 'limit_reached') return present === 'active' && usageOf(parts, key).remainingNano === 0n
  return present === state
}

async function viewKeys(parts: OperationParts, keys: readonly ApiKey[]): Promise<KeyView[]> {
  const accountIds = [...new Set(keys.map(({ accountId }) => accountId))]
  const keyIds = keys.map(({ id }) => id)
  await parts.money.refresh({ keyIds, accountIds })
  const facts = await parts.storage.loadKeyFacts(keyIds)
  const nowMs = parts.clock.nowMs()
  return keys.map((key) => {
    const summary = summarizeKey(key, nowMs)
    const usage = usageOf(parts, key)
    const known = facts.get(key.id) ?? { createdBy: null, lastUsedAtMs: null }
    return { ...summary, ...known, usage, stoppedBy: stopOf(parts, key, { ...summary, usage }) }
  })
}

/** What stops every request of a key now; as the request path decides it. */
function stopOf(
  { configuration, money }: OperationParts,
  key: ApiKey,
  { state, usage }: Pick<KeyView, 'state' | 'usage'>,
): KeyStop | null {
  const snapshot = configuration.current()
  const account = snapshot.accounts.get(key.accountId)
  if (state === 'revoked') return state
  if (account?.state !== 'active') return 'account'
  if (state !== 'active') return state
  if (usage.remainingNano === 0n) return 'usage_limit'
  const { creditLineNano } = account
  const isBroke = creditLineNano !== null && money.balanceNano(key.accountId) + creditLineNano <= 0n
  return isBroke && !canServeUnpaid(snapshot, key) ? 'balance' : null
}

async function viewKey(parts: OperationParts, key: ApiKey): Promise<KeyView> {
  const [view] = await viewKeys(parts, [key])
  if (view === undefined) throw new Error('One key has one view.')
  return view
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

async function issueKey(change: Change, accountId: string, input: NewKey): Promise<ApiKey> {
  const account = requireAccount(change.snapshot, accountId)
  if (account.state === 'closed') refuse('id', `Account "${accountId}" is closed, so it gets no more keys.`)
  checkKeySettings(change, account, input.settings)
  const key: ApiKey = {
    ...input.settings,
    id: change.parts.random.id('key'),
    accountId,
    state: 'active',
    createdAtMs: change.nowMs,
    secrets: [keepSecret(change, input.secret)],
  }
  return saveKey(change, 'key.created', { before: null, after: key })
}

async function changeKey(change: Change, id: string, edit: KeyChange): Promise<ApiKey> {
  const before = requireUsableKey(change, id)
  checkKeySettings(change, requireAccount(change.snapshot, before.accountId), edit)
  const after: ApiKey = { ...before, ...edit }
  return saveKey(change, 'key.changed', { before, after })
}

async function rotateKey(
  change: Change,
  id: string,
  { graceSeconds, secret }: { graceSeconds: number; secret: string },
): Promise<ApiKey> {
  if (!Number.isSafeInteger(graceSeconds) || graceSeconds < 0) {
    refuse('grace_seconds', 'grace_seconds must be a whole number, 0 or more.')
  }
  const before = requireUsableKey(change, id)
  const graceEndsAtMs = change.nowMs + graceSeconds * 1000
  // An older secret that was given a longer time lives no longer than this grace: a leak must be stoppable.
  const older = before.secrets.map((each) => ({
    ...each,
    expiresAtMs: Math.min(each.expiresAtMs ?? graceEndsAtMs, graceEndsAtMs),
  }))
  const living = older.filter((each) => each.expiresAtMs > change.nowMs)
  const after: ApiKey = { ...before, secrets: [keepSecret(change, secret), ...living] }
  return saveKey(change, 'key.rotated', { before, after })
}

export async function revokeKey(change: Change, id: string): Promise<ApiKey> {
  const before = requireKey(change.snapshot, id)
  return saveKey(change, 'key.revoked', { before, after: { ...before, state: 'revoked' } })
}

async function saveKey(
  change: Change,
  action: string,
  { before, after }: { before: ApiKey | null; after: ApiKey },
): Promise<ApiKey> {
  if (isDeepStrictEqual(before, after)) return after
  const describe = (key: ApiKey) => KeySummary.show(summarizeKey(key, change.nowMs))
  const described = { before: before && describe(before), after: describe(after) }
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

/** Refuses settings that make no sense for a key of this account. Only what is being set is looked at. */
function checkKeySettings(change: Change, account: Account, settings: Partial<KeySettings>): void {
  if (settings.name !== undefined) requireText(settings.name, 'name')
  if (settings.usageLimit) checkAmount(settings.usageLimit.amountNano, 'usage_limit.amount')
  if (settings.budget) checkBudget(settings.budget)
  if (settings.modelAllowlist) checkAllowlist(settings.modelAllowlist)
  if (settings.expiresAtMs !== undefined) requireFuture(settings.expiresAtMs, change.nowMs)
  if (settings.routePolicy) checkRoutePolicy(change, account, settings.routePolicy)
  const limits = accountLimits(account, change.nowMs, change.snapshot.tiers)
  checkNarrows('rpm', settings.rpm, limits.rpm)
  checkNarrows('tpm', settings.tpm, limits.tpm)
}

function checkNarrows(param: 'rpm' | 'tpm', wanted: number | null | undefined, limit: number | null): void {
  if (wanted === null || wanted === undefined) return
  if (wanted < 1) refuse(param, `${param} must be at least 1.`)
  if (limit !== null && wanted > limit) {
    refuse(param, `${param} can only narrow the account's limit of ${limit}.`)
  }
}

function checkRoutePolicy(change: Change, account: Account, policy: KeySettings['routePolicy']): void {
  if (policy.mode !== 'specified_provider') return
  const supplier = change.snapshot.supply.suppliers.get(policy.provider)
  if (supplier === undefined || !isVisible(supplier, account.id)) {
    refuse('route_policy.provider', `There is no supplier "${policy.provider}".`)
  }
}

function checkBudget(budget: NonNullable<KeySettings['budget']>): void {
  checkAmount(budget.amountNano, 'budget.amount')
  if (budget.thresholds.length === 0) refuse('budget.thresholds', 'budget.thresholds must not be empty.')
}

function checkAmount(amountNano: NanoUsdt, param: string): void {
  requirePositive(amountNano, param)
  requireSane(amountNano, param)
}

// Looking a model up takes as long for any number of entries; storing and sending them does not.
const MOST_ALLOWED_MODELS = 1_000

function checkAllowlist(allowlist: readonly string[]): void {
  // An empty list could mean everything or nothing, and a guess would be wrong half the time.
  if (allowlist.length === 0) {
    refuse('model_allowlist', 'model_allowlist must name a model; null allows every model.')
  }
  if (allowlist.length > MOST_ALLOWED_MODELS) {
    refuse(
      'model_allowlist',
      `model_allowlist has ${allowlist.length} entries; it takes at most ${MOST_ALLOWED_MODELS}. An entry such as "gpt-*" stands for many.`,
    )
  }
  const malformed = allowlist.findIndex((entry) => entry === '' || entry.slice(0, -1).includes('*'))
  if (malformed >= 0) {
    refuse(`model_allowlist[${malformed}]`, 'An allowlist entry is a model id, or a prefix followed by "*".')
  }
}
