import { accountPath } from './client.ts'
import { type List, useList } from './use-list.ts'

export interface Payment {
  readonly id: string
  readonly amount: string
  readonly reference: string
  readonly note: string | null
  readonly created_at: string
}

export function usePayments(account: string): List<Payment> {
  return useList<Payment>([account, 'payments'], accountPath(account, '/payments'))
}
