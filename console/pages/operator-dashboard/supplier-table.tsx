import { IconTruckDelivery } from '@tabler/icons-react'
import type { SupplierHealth } from '../../api/wire.ts'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { wholeList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { formatDuration, formatNumber, formatShare } from '../../parts/text/format.ts'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'
import { judgeHealth } from '../operator-suppliers/health.ts'
import type { DashboardProps } from './index.tsx'

const COLUMNS: readonly Column<SupplierHealth>[] = [
  { head: 'Supplier', cell: ({ id }) => id },
  { head: 'Health', cell: (supplier) => <Health supplier={supplier} /> },
  { head: 'Circuits', from: 'md', cell: describeCircuits },
  {
    head: 'Cooling',
    from: 'md',
    cell: ({ cooling_until }) => (cooling_until === null ? 'No' : <Until at={cooling_until} />),
  },
  { head: 'Requests', isNumeric: true, from: 'sm', cell: ({ requests }) => formatNumber(requests) },
  {
    head: 'Error rate',
    isNumeric: true,
    cell: ({ requests, failed }) => (requests === 0 ? '–' : formatShare(failed / requests)),
  },
  {
    head: 'First byte',
    isNumeric: true,
    from: 'sm',
    cell: ({ first_byte_ms_avg }) => (first_byte_ms_avg === null ? '–' : formatDuration(first_byte_ms_avg)),
  },
]

export function SupplierTable({ dashboard }: DashboardProps) {
  return (
    <TablePanel
      title="Suppliers"
      description="Health is as of now; the other figures cover the selected range."
      list={wholeList(dashboard?.suppliers)}
      columns={COLUMNS}
      rowLink={({ id }) => ({ to: '/operator/suppliers/$id', params: { id } })}
      empty={{
        icon: IconTruckDelivery,
        title: 'No suppliers yet',
        children: 'Add a supplier with a credential, and import its models.',
      }}
    />
  )
}

function Health({ supplier }: { readonly supplier: SupplierHealth }) {
  if (!supplier.enabled) return <StatusBadge state="disabled" />
  const { label, tone } = judgeHealth(supplier)
  return <StatusBadge state={label} tone={tone} />
}

function describeCircuits({ open, candidates }: SupplierHealth): string {
  if (candidates === 0) return '–'
  return open === 0 ? 'All closed' : `${formatNumber(open)} of ${formatNumber(candidates)} open`
}

function Until({ at }: { readonly at: string }) {
  return (
    <>
      until <TimeStamp at={at} as="time" />
    </>
  )
}
