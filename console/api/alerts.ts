import { accountPath } from './client.ts'
import type { Alert } from './overview.ts'
import { type List, useList } from './use-list.ts'

/** An alert, with what became of telling the webhook. */
export interface ToldAlert extends Alert {
  readonly delivery: {
    readonly state: string
    readonly tries: number
    readonly next_try_at: string | null
    readonly last_failure: string | null
  }
}

export function useAlerts(account: string): List<ToldAlert> {
  return useList<ToldAlert>([account, 'alerts'], accountPath(account, '/alerts'))
}
