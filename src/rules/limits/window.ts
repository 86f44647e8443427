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
