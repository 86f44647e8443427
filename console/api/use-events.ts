import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { accountPath } from './client.ts'

export type EventKind = 'settlement' | 'alert' | 'change'
const KINDS: readonly EventKind[] = ['settlement', 'alert', 'change']

export type EventListener = (kind: EventKind, data: unknown) => void

/** What each kind of event makes out of date: second elements of query keys, after the account. */
const TOUCHED: Readonly<Record<EventKind, readonly string[]>> = {
  settlement: ['overview', 'usage', 'settlements', 'ledger', 'keys'],
  alert: ['alerts', 'overview'],
  change: ['overview', 'keys', 'models', 'payments', 'ledger', 'webhook', 'own-suppliers', 'members'],
}
// A busy account settles many requests a second; its pages ask again at most this often.
const REFRESH_MS = 2_000

/**
 * Follows what happens in an account and lets the queries of `[account, …]` ask again. The shell does this for the
 * chosen account; a page that shows events as they come passes a listener of its own, which must keep its identity.
 */
export function useEvents(account: string | null, listener?: EventListener): void {
  const queryClient = useQueryClient()
  useEffect(() => {
    if (account === null) return
    const touched = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | null = null
    const refresh = () => {
      timer = null
      const names = [...touched]
      touched.clear()
      for (const name of names) void queryClient.invalidateQueries({ queryKey: [account, name] })
    }
    const source = new EventSource(accountPath(account, '/events'))
    for (const kind of KINDS) {
      source.addEventListener(kind, (event: MessageEvent<string>) => {
        for (const name of TOUCHED[kind]) touched.add(name)
        timer ??= setTimeout(refresh, REFRESH_MS)
        listener?.(kind, parse(event.data))
      })
    }
    return () => {
      source.close()
      if (timer !== null) clearTimeout(timer)
    }
  }, [account, listener, queryClient])
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
