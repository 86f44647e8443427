import { WINDOW_MS } from '../../rules/limits/window.ts'
import type { AdmissionRefusal, WindowDemand } from '../../serve/ports/admissions.ts'
import type {
  AdmitAnswer,
  CapacityAnswer,
  GrowAnswer,
  PinnedTo,
  WindowState,
} from '../../serve/ports/shared-limits.ts'

/** A word, the time of Redis, a detail; then for each window the amount spent and when it opened (0 if closed). */
export type WindowAnswer = readonly [word: string, nowMs: number, detail: string, ...windows: number[]]

const WINDOWS_AT = 3

export function decodeAdmitAnswer(answer: WindowAnswer, demands: readonly WindowDemand[]): AdmitAnswer {
  const [word, , detail] = answer
  switch (word) {
    case 'admitted':
      return { type: 'admitted', heldNano: null, windows: decodeWindows(answer), pin: decodePin(detail) }
    case 'partial': {
      const colon = detail.indexOf(':')
      const heldNano = BigInt(detail.slice(0, colon))
      const pin = decodePin(detail.slice(colon + 1))
      return { type: 'admitted', heldNano, windows: decodeWindows(answer), pin }
    }
    case 'refused':
      return decodeRefusal(detail, demands, decodeWindows(answer))
    case 'behind':
      return { type: 'behind', version: Number(detail) }
    default:
      return { type: 'unknown', missing: detail as 'generation' | 'account' | 'key' }
  }
}

export function decodeGrowAnswer(word: string): GrowAnswer {
  if (word === 'grown' || word === 'refused') return word
  return { type: 'unknown', missing: word as 'generation' | 'account' | 'key' | 'hold' }
}

export function decodeWindows(answer: WindowAnswer): WindowState[] {
  const states: WindowState[] = []
  for (let at = WINDOWS_AT; at < answer.length; at += 2) {
    const [spent, openedAtMs] = [Number(answer[at]), Number(answer[at + 1])]
    states.push({ spent, closesInMs: openedAtMs === 0 ? 0 : openedAtMs + WINDOW_MS - answer[1] })
  }
  return states
}

/** When the window of the demand at this index opened. */
export function openedAtMs(answer: WindowAnswer, place: number): number {
  return Number(answer[WINDOWS_AT + 2 * place + 1])
}

export function encodePin({ supplierId, credentialId }: PinnedTo): string {
  return JSON.stringify([supplierId, credentialId])
}

function decodePin(text: string): PinnedTo | null {
  if (text === '') return null
  const [supplierId, credentialId] = JSON.parse(text) as [string, string]
  return { supplierId, credentialId }
}

function decodeRefusal(
  reason: string,
  demands: readonly WindowDemand[],
  windows: readonly WindowState[],
): AdmitAnswer {
  const refusal: AdmissionRefusal =
    reason === 'window'
      ? findLastToFree(demands, windows)
      : { reason: reason as 'key-spending-limit' | 'balance' }
  return { type: 'refused', refusal, windows }
}

/** Names the full window that resets last: waiting for another one would only lead to the next refusal. */
function findLastToFree(demands: readonly WindowDemand[], windows: readonly WindowState[]): AdmissionRefusal {
  let longest: (AdmissionRefusal & { reason: 'window' }) | null = null
  for (const [place, window] of demands.entries()) {
    const { spent, closesInMs } = windows[place] ?? { spent: 0, closesInMs: 0 }
    if (spent + window.amount <= window.limit) continue
    const retryAfterSeconds = Math.max(1, Math.ceil(closesInMs / 1000))
    if (longest === null || retryAfterSeconds > longest.retryAfterSeconds) {
      longest = { reason: 'window', window, retryAfterSeconds }
    }
  }
  if (longest === null) throw new Error('Redis refused because of a full window, but no window is full.')
  return longest
}

export function decodeCapacityAnswer([option = -1, ...retryAfterSeconds]: readonly number[]): CapacityAnswer {
  return option < 0 ? { type: 'refused', retryAfterSeconds } : { type: 'taken', option }
}
