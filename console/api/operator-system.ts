import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'
import { OPERATOR } from './operator-lists.ts'

export interface SystemNode {
  readonly node: string
  readonly version: string
  readonly started_at: string
}

export interface SystemState {
  readonly version: string
  readonly node: string
  readonly started_at: string
  readonly database: { readonly engine: string; readonly ping_ms: number; readonly size_bytes: number }
  readonly journal: { readonly waiting: number; readonly oldest_at: string | null }
  readonly redis: Readonly<Record<string, unknown>> | null
  readonly streams: number
  /** Consoles that follow what happens. */
  readonly followers: number
  readonly memory_bytes: number
  readonly cpu_seconds: number
  readonly uptime_seconds: number
  readonly nodes: readonly SystemNode[]
  /** Nothing secret. */
  readonly settings: Readonly<Record<string, unknown>>
}

const EVERY_MS = 5_000

export const systemQuery = queryOptions({
  queryKey: ['operator', 'system'],
  queryFn: ({ signal }) => api.get<SystemState>(`${OPERATOR}/system`, { signal }),
  refetchInterval: (query) => (query.state.error === null ? EVERY_MS : false),
})
