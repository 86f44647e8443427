import type { ShownList } from '../edges/management-api/endpoint.ts'
import type { ActionCall } from './action-group.ts'
import { UsageError } from './command.ts'
import { type Column, printTable } from './print-table.ts'

const LARGEST_PAGE = 200
const USUAL_LIMIT = 50

/** Prints a list of the gateway, newest or oldest first as the gateway gives it, up to `--limit` of its rows. */
export async function printList<Row>(
  call: ActionCall,
  path: string,
  table: { readonly columns: readonly Column<Row>[]; readonly empty: string },
): Promise<void> {
  const limit = readCount(call, 'limit') ?? USUAL_LIMIT
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const size = Math.min(limit - rows.length, LARGEST_PAGE)
    const query = new URLSearchParams({ limit: String(size), ...(cursor !== null && { cursor }) })
    const listing: ShownList<Row> = await call.client.call(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}${query}`,
    )
    rows.push(...listing.data)
    cursor = listing.next_cursor
  } while (cursor !== null && rows.length < limit)
  printTable(call.terminal, { ...table, rows }, { asJson: call.asJson })
  if (cursor !== null && !call.asJson) call.terminal.print('There is more; --limit shows it.\n')
}

/** Prints one object, a line for each fact. */
export function printFacts(call: ActionCall, answer: object, facts: Readonly<Record<string, Fact>>): void {
  const rows = Object.entries(facts).map(([name, value]) => ({ name, value }))
  const columns: Column<{ name: string; value: Fact }>[] = [
    { title: 'what', cell: ({ name }) => name },
    { title: 'value', cell: ({ value }) => value },
  ]
  printTable(call.terminal, { rows, columns, empty: '' }, { asJson: call.asJson, facts: answer })
}

export type Fact = string | number | null

/** A flag that counts something; undefined when it was not given. */
export function readCount(call: ActionCall, flag: string): number | undefined {
  const text = call.flag(flag)
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw new UsageError(`--${flag} takes a whole number above zero, not '${text}'`)
  return Number(text)
}

export function accountPath(call: ActionCall, rest = ''): string {
  return `/accounts/${encodeURIComponent(call.said('account'))}${rest}`
}
