import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'
import { OPERATOR } from './operator-lists.ts'

export interface SystemNode {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly started_at: string
  readonly last_heard_at: string
  /** Whether it is the one that answered. */
  readonly is_this: boolean
}

export interface SystemRedis {
  readonly mode: 'single' | 'sentinel' | 'cluster'
  readonly reachable: boolean
  readonly ping_ms: number | null
  readonly loss_policy: 'local' | 'refuse'
  readonly state: 'shared' | 'local' | 'refusing'
  readonly used_memory_bytes: number | null
}

export interface SystemJournal {
  readonly waiting: number
  readonly oldest_at: string | null
  readonly bytes: number
  readonly max_bytes: number
  readonly max_age_seconds: number
  /** Why nothing more is admitted. */
  readonly refusal: string | null
}

export interface SystemState {
  readonly version: string
  readonly node_id: string
  readonly node: string
  readonly started_at: string
  readonly database: {
    readonly engine: string
    readonly reachable: boolean
    readonly ping_ms: number | null
    readonly size_bytes: number | null
  }
  readonly journal: SystemJournal
  readonly redis: SystemRedis | null
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
