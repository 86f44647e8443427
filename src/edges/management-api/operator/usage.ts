import { GatewayError } from '../../../errors/gateway-error.ts'
import type { BookOperations, LedgerVerification, UsagePoint } from '../../../gateway/ports/books.ts'
import type { Endpoint } from '../../../gateway/ports/exchange.ts'
import { USAGE_SPANS, type UsageGroup, type UsageSpan } from '../../../rules/ledger/aggregate.ts'
import { formatUsdt } from '../../../vocabulary/money.ts'
import { formatTime } from '../../../vocabulary/time.ts'
import { OPERATOR_PATH } from './address.ts'
import { readBookFilter } from './exports.ts'
import { listEndpoint } from './list-endpoint.ts'
import { requireKnownQuery } from './read-values.ts'
import { renderListing } from './render.ts'

const FILTERS = ['account_id', 'key_id', 'model', 'supplier', 'from', 'to', 'granularity', 'group_by']

/** What usage can be told apart by, under the names of the filters. */
const GROUPS = {
  account_id: 'accountId',
  key_id: 'keyId',
  model: 'model',
  supplier: 'supplier',
} as const satisfies Record<string, keyof UsageGroup>

export function usageEndpoints(operations: BookOperations): Endpoint[] {
  return [
    listEndpoint({ path: `${OPERATOR_PATH}/usage`, filters: FILTERS }, async (page, { query }) => {
      const supplier = query.get('supplier')
      const filter = { ...readBookFilter(query), ...(supplier !== null && { supplier }) }
      const question = { span: readSpan(query), filter, groupBy: readGroups(query) }
      return renderListing(await operations.listUsage(question, page), renderPoint)
    }),
    {
      method: 'GET',
      path: `${OPERATOR_PATH}/ledger/verify`,
      handle: async ({ query }) => {
        requireKnownQuery(query, [])
        return Response.json(renderVerification(await operations.verifyLedger()))
      },
    },
  ]
}

function readSpan(query: URLSearchParams): UsageSpan {
  const text = query.get('granularity') ?? 'day'
  const span = USAGE_SPANS.find((known) => known === text)
  if (span !== undefined) return span
  throw new GatewayError('invalid_request', `granularity must be one of ${USAGE_SPANS.join(', ')}.`, {
    param: 'granularity',
  })
}

function readGroups(query: URLSearchParams): (keyof UsageGroup)[] {
  const names = (query.get('group_by') ?? '').split(',').filter((name) => name !== '')
  return names.map((name) => {
    const group = Object.entries(GROUPS).find(([known]) => known === name)?.[1]
    if (group !== undefined) return group
    throw new GatewayError(
      'invalid_request',
      `group_by must be names out of ${Object.keys(GROUPS).join(', ')}, separated by commas.`,
      { param: 'group_by' },
    )
  })
}

function renderPoint({ startMs, group, figures }: UsagePoint): object {
  const { completed, clientLeft, supplierFailed, refused, interrupted } = figures
  const told = Object.entries(GROUPS).filter(([, name]) => name in group)
  return {
    starts_at: formatTime(startMs),
    ...Object.fromEntries(told.map(([name, key]) => [name, group[key]])),
    requests: completed + clientLeft + supplierFailed + refused + interrupted,
    outcomes: {
      completed,
      client_left: clientLeft,
      supplier_failed: supplierFailed,
      refused,
      interrupted,
    },
    usage: {
      input: figures.input,
      cache_read: figures.cacheRead,
      cache_write: figures.cacheWrite,
      output: figures.output,
      reasoning: figures.reasoning,
      images: figures.images,
    },
    amount: formatUsdt(figures.amountNano),
    first_bytes: figures.firstBytes,
    first_byte_ms: figures.firstByteMs,
    duration_ms: figures.durationMs,
  }
}

/** The same for the answer of a gateway and for what a command finds by itself. */
export function renderVerification({ difference, checked, waiting }: LedgerVerification) {
  return { difference, checked: { ...checked }, waiting }
}
