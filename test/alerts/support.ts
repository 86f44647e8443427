import { formatUsdt } from '../../src/vocabulary/money.ts'
import { chat, say } from '../support/chat.ts'
import type { TestGateway } from '../support/test-gateway.ts'

export interface AlertBody {
  readonly id: string
  readonly kind: string
  readonly account_id: string | null
  readonly at: string
  readonly data: Readonly<Record<string, unknown>>
  readonly delivery: {
    readonly state: string
    readonly tries: number
    readonly next_try_at: string | null
    readonly last_failure: string | null
  }
}

interface Page<T> {
  readonly data: readonly T[]
}

/** The alerts of an account, oldest first. */
export async function alertsOf(gateway: TestGateway, accountId: string): Promise<AlertBody[]> {
  const page = await gateway.operator<Page<AlertBody>>('GET', `/alerts?account_id=${accountId}&limit=200`)
  return page.data.toReversed()
}

interface AuditBody {
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly after: unknown
}

export async function auditOf(gateway: TestGateway, subject: string): Promise<AuditBody[]> {
  const page = await gateway.operator<Page<AuditBody>>('GET', '/audit?limit=200')
  return page.data.filter((event) => event.subject === subject && event.action.startsWith('alert.'))
}

/** What one request of `spend` costs. */
export const COST_NANO = 30_000n
/** A number of such requests, as an amount. */
export const costOf = (requests: bigint) => formatUsdt(COST_NANO * requests)

/** A request that always costs the same, and no less than is held for it: the sandbox counts long words as more tokens. */
export async function spend(gateway: TestGateway, key: string): Promise<Response> {
  const fields = { model: 'priced', ...say('another another another another yes'), max_tokens: 10 }
  const response = await chat(gateway.url, fields, { key })
  await response.clone().arrayBuffer()
  return response
}
