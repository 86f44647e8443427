import { useBodies, useSettlement } from '../../api/settlements.ts'
import type { Settlement } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'

/** The request that a link to the playground names. */
export interface StoredRequest {
  readonly id: string
  readonly format: Settlement['client_format']
  readonly model: string
  /** The body that the client sent. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface StoredRequestState {
  /** Null without `?from=`, while loading, and after a failure. */
  readonly request: StoredRequest | null
  readonly isPending: boolean
  readonly error: Error | null
}

/** The link that opens the playground with a stored request. */
export function playgroundLink(requestId: string) {
  return { to: '/playground', search: { from: requestId } } as const
}

/**
 * The stored request that `?from=<request id>` in the address names. The prompt is read from the gateway each time, so
 * that no copy of it stays in the browser.
 */
export function useStoredRequest(account: string): StoredRequestState {
  const [{ from }] = useUrlState({ from: '' })
  const wanted = from === '' ? null : from
  const settlement = useSettlement(account, wanted)
  const bodies = useBodies(account, wanted)
  const error = settlement.error ?? bodies.error
  if (wanted === null || error !== null) return { request: null, isPending: false, error }
  if (settlement.data === undefined || bodies.data === undefined) {
    return { request: null, isPending: true, error: null }
  }
  const body = bodies.data.request_cut ? null : readObject(bodies.data.request)
  if (body === null) return { request: null, isPending: false, error: new Error(UNUSABLE) }
  const { client_format: format, model } = settlement.data
  return { request: { id: wanted, format, model, body }, isPending: false, error: null }
}

const UNUSABLE = 'This request was not stored in full, so it cannot be opened here.'

function readObject(text: string): StoredRequest['body'] | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as StoredRequest['body'])
      : null
  } catch {
    return null
  }
}
