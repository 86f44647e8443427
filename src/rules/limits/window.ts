import type { Clock } from '../../vocabulary/clock.ts'

/** How much of a one-minute limit has been spent since the window opened. */
export interface Window {
  readonly openedAtMs: number
  readonly spent: number
}

export interface Charge {
  readonly amount: number
  readonly limit: number
}

export const WINDOW_MS = 60_000

/** An unused window. It counts as over, so the next spend opens a new one. */
export const UNOPENED: Window = { openedAtMs: Number.NEGATIVE_INFINITY, spent: 0 }

/** A clock that was set back ends the window too; otherwise it could last for hours. */
export function isOver(window: Window, nowMs: number): boolean {
  return nowMs - window.openedAtMs >= WINDOW_MS || nowMs < window.openedAtMs
}

/** Whether this amount can be spent now. */
export function canSpend(window: Window, charge: Charge, nowMs: number): boolean {
  const spent = isOver(window, nowMs) ? 0 : window.spent
  return spent + charge.amount <= charge.limit
}

/**
 * The window after spending from it. Ask `canSpend` first.
 *
 * A window opens at its first spend, so the reset header is exact. The price: spending late in one window and
 * early in the next can pass twice the limit within seconds. Accepted, see docs/decisions/0006.
 */
export function spend(window: Window, amount: number, nowMs: number): Window {
  if (isOver(window, nowMs)) return { openedAtMs: nowMs, spent: amount }
  return { openedAtMs: window.openedAtMs, spent: window.spent + amount }
}

/** Whole seconds until a full window is free again, from 1 to 60; 0 when nothing has been spent. */
export function resetSeconds(window: Window, nowMs: number): number {
  if (isOver(window, nowMs)) return 0
  return Math.max(1, Math.ceil((window.openedAtMs + WINDOW_MS - nowMs) / 1000))
}

export function remaining(window: Window, limit: number, nowMs: number): number {
  return Math.max(0, limit - (isOver(window, nowMs) ? 0 : window.spent))
}

const CHARACTERS_PER_TOKEN = 4
// Spec 8.3: a media part counts the same whatever its Base64 length.
const TOKENS_PER_MEDIA_PART = 1_600
const OUTPUT_TOKENS_WHEN_UNSET = 512

export interface PromptSize {
  readonly promptCharacters: number
  readonly mediaParts: number
  readonly audioTokens?: number
}

export function estimatePromptTokens(prompt: PromptSize): number {
  return tokensOfCharacters(prompt.promptCharacters) + mediaTokens(prompt)
}

/** The same for money, with a better estimate of the text. */
export function pricedPromptTokens(prompt: PromptSize, tokensPerCharacter: number): number {
  return Math.ceil(prompt.promptCharacters * tokensPerCharacter) + mediaTokens(prompt)
}

function mediaTokens({ mediaParts, audioTokens = 0 }: PromptSize): number {
  return mediaParts * TOKENS_PER_MEDIA_PART + audioTokens
}

/** What a request counts against the token windows at arrival; billing uses actual usage. */
export function estimateTokens(request: PromptSize & { readonly maxOutputTokens: number | null }): number {
  return estimatePromptTokens(request) + (request.maxOutputTokens ?? OUTPUT_TOKENS_WHEN_UNSET)
}

/** Also how generated text is counted when a supplier reports no usage. */
export function tokensOfCharacters(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

// Lookups and refused requests do not use the request window; these budgets limit them.
const GUARD_FACTOR = 10

/** How many lookups and refused requests an RPM limit allows; null for no limit. */
export function guardLimit(rpm: number | null): number | null {
  return rpm === null ? null : rpm * GUARD_FACTOR
}

/** The effective RPM of a key: its own limit may be older than a lower one of its account. */
export function effectiveRpm({ key, limits }: Pick<GuardedCaller, 'key' | 'limits'>): number | null {
  if (key.rpm === null || limits.rpm === null) return key.rpm ?? limits.rpm
  return Math.min(key.rpm, limits.rpm)
}

/** Whose refusals are counted. */
export interface GuardedCaller {
  readonly account: { readonly id: string }
  readonly key: { readonly id: string; readonly rpm: number | null }
  readonly limits: { readonly rpm: number | null }
}

/** The exhausted refusal budget, and when it resets. */
export interface RefusalExcess {
  readonly limit: number
  readonly unit: 'requests' | 'body bytes'
  readonly owner: 'key' | 'account'
  /** 1 to 60. */
  readonly retryAfterSeconds: number
}

/** The refusals of an account in its current minute. */
interface RefusedMinute {
  readonly openedAtMs: number
  /** Requests. */
  spent: number
  bodyBytes: number
  readonly spentByKey: Map<string, number>
}

// The oldest minutes make room beyond this; each takes a few hundred bytes.
const MAX_ACCOUNTS = 50_000

/**
 * Limits the refused requests of each account after authentication. It protects this process, so each process counts
 * separately. Accounts without a refusal in the last minute are not in memory.
 */
export class RefusalGuard {
  readonly #clock: Clock
  readonly #maxBodyBytes: number
  /** In the order in which the minutes opened. */
  readonly #minutes = new Map<string, RefusedMinute>()

  /** `maxBodyBytes`: of refused requests, per account and minute. */
  constructor(clock: Clock, { maxBodyBytes }: { readonly maxBodyBytes: number }) {
    this.#clock = clock
    this.#maxBodyBytes = maxBodyBytes
  }

  /** The number of accounts in memory. */
  get size(): number {
    return this.#minutes.size
  }

  /** A request with this many bytes of body was refused. */
  note({ account, key }: Pick<GuardedCaller, 'account' | 'key'>, bodyBytes: number): void {
    const minute = this.#openMinute(account.id)
    minute.spent += 1
    minute.bodyBytes += bodyBytes
    minute.spentByKey.set(key.id, (minute.spentByKey.get(key.id) ?? 0) + 1)
  }

  /** Returns null when the request may proceed. */
  excessOf(caller: GuardedCaller): RefusalExcess | null {
    // Fast path: the account has no refusals.
    const minute = this.#minutes.get(caller.account.id)
    if (minute === undefined) return null
    const nowMs = this.#clock.nowMs()
    if (isOver(minute, nowMs)) return null
    const retryAfterSeconds = resetSeconds(minute, nowMs)
    const ofKey = caller.key.rpm === null ? null : guardLimit(effectiveRpm(caller))
    if (ofKey !== null && (minute.spentByKey.get(caller.key.id) ?? 0) >= ofKey)
      return { limit: ofKey, unit: 'requests', owner: 'key', retryAfterSeconds }
    const ofAccount = guardLimit(caller.limits.rpm)
    if (ofAccount !== null && minute.spent >= ofAccount)
      return { limit: ofAccount, unit: 'requests', owner: 'account', retryAfterSeconds }
    if (minute.bodyBytes < this.#maxBodyBytes) return null
    return { limit: this.#maxBodyBytes, unit: 'body bytes', owner: 'account', retryAfterSeconds }
  }

  #openMinute(accountId: string): RefusedMinute {
    const nowMs = this.#clock.nowMs()
    const known = this.#minutes.get(accountId)
    if (known !== undefined && !isOver(known, nowMs)) return known
    this.#minutes.delete(accountId)
    this.#forgetOldest(nowMs)
    const opened = { openedAtMs: nowMs, spent: 0, bodyBytes: 0, spentByKey: new Map<string, number>() }
    this.#minutes.set(accountId, opened)
    return opened
  }

  #forgetOldest(nowMs: number): void {
    for (const [accountId, minute] of this.#minutes) {
      if (this.#minutes.size < MAX_ACCOUNTS && !isOver(minute, nowMs)) return
      this.#minutes.delete(accountId)
    }
  }
}
