import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { EventKind } from '../../src/manage/ports/console.ts'
import { accountPath } from './client.ts'

/** What each kind of event invalidates: the second elements of query keys, after the account. */
const TOUCHED: Readonly<Record<EventKind, readonly string[]>> = {
  settlement: ['overview', 'usage', 'settlements', 'ledger', 'keys'],
  alert: ['alerts', 'overview'],
  change: [
    'overview',
    'keys',
    'key-names',
    'models',
    'payments',
    'ledger',
    'webhook',
    'own-suppliers',
    'members',
  ],
}
// A busy account settles many requests a second. Its pages refresh at most this often.
const REFRESH_MS = 2_000

/** Follows the events of an account and refreshes the queries under `[account, …]`. */
export function useEvents(account: string | null): void {
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
    for (const [kind, names] of Object.entries(TOUCHED)) {
      source.addEventListener(kind, () => {
        for (const name of names) touched.add(name)
        timer ??= setTimeout(refresh, REFRESH_MS)
      })
    }
    return () => {
      source.close()
      if (timer !== null) clearTimeout(timer)
    }
  }, [account, queryClient])
}
