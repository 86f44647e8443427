import { useQuery } from '@tanstack/react-query'
import type { ShownList } from '../../../src/edges/management-api/endpoint.ts'
import { accountPath, getQuery } from '../../api/client.ts'
import type { UsageRow } from '../../api/wire.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const DAYS = 30

/** The suppliers that served requests of the account in the last days, by name. */
export function useSupplierNames(account: string): string[] {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const range = {
    from: new Date(today - DAYS * DAY_MS).toISOString(),
    to: new Date(today + DAY_MS).toISOString(),
  }
  const query = { ...range, granularity: 'day', group_by: 'supplier' }
  const { data } = useQuery(
    getQuery<ShownList<UsageRow>>([account, 'usage', query], accountPath(account, '/usage'), query),
  )
  const names = data?.data.flatMap(({ group }) => group ?? []) ?? []
  return [...new Set(names)].sort()
}
