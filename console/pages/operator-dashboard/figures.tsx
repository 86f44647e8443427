import {
  IconAlertTriangle,
  IconBolt,
  IconCoin,
  IconReceipt,
  IconReportMoney,
  IconTruckDelivery,
} from '@tabler/icons-react'
import type { Dashboard } from '../../api/wire.ts'
import { StatCards } from '../../parts/charts/stat-card.tsx'
import { outcomeLabel } from '../../parts/layout/outcome-badge.tsx'
import { shareOf } from '../../parts/text/decimal.ts'
import { formatDuration, formatNumber, formatShare, formatShort } from '../../parts/text/format.ts'
import { Money } from '../../parts/text/money.tsx'
import type { DashboardProps } from './index.tsx'

/** The figures of the range, each with the page behind it. */
export function Figures({ dashboard }: DashboardProps) {
  const totals = dashboard?.totals
  const span = dashboard?.granularity === 'day' ? '7d' : '24h'
  const usage = (by: string) => ({ to: '/operator/usage', search: { by, span } }) as const
  return (
    <StatCards
      cols={{ base: 2, md: 3, lg: 6 }}
      cards={[
        {
          label: 'Spend',
          icon: IconCoin,
          value: totals && <Money amount={totals.amount} />,
          hint: 'Charged to accounts',
          link: usage('account_id'),
        },
        {
          label: 'Cost',
          icon: IconTruckDelivery,
          value: totals && <Money amount={totals.cost} />,
          hint: 'Owed to suppliers',
          link: usage('supplier'),
        },
        {
          label: 'Margin',
          icon: IconReportMoney,
          value: totals && <Money amount={totals.margin} />,
          hint: totals && describeMargin(totals),
          link: usage('model'),
        },
        {
          label: 'Requests',
          icon: IconReceipt,
          value: totals && formatShort(totals.requests),
          hint: totals && `${formatNumber(totals.refused)} refused`,
          link: { to: '/operator/settlements' },
        },
        {
          label: 'Errors',
          icon: IconAlertTriangle,
          value: totals && formatShare(totals.requests === 0 ? 0 : totals.errors / totals.requests),
          hint: dashboard && describeErrors(dashboard),
          link: { to: '/operator/settlements', search: { view: 'refused' } },
        },
        {
          label: 'First byte',
          icon: IconBolt,
          value:
            totals && (totals.first_byte_ms_avg === null ? '–' : formatDuration(totals.first_byte_ms_avg)),
          hint: 'On average',
          link: { to: '/operator/suppliers' },
        },
      ]}
    />
  )
}

function describeMargin({ amount, margin }: Dashboard['totals']): string {
  return Number(amount) === 0 ? 'Nothing charged' : `${formatShare(shareOf(margin, amount))} of spend`
}

function describeErrors({ totals, refusals }: Dashboard): string {
  const [most] = refusals
  const count = `${formatNumber(totals.errors)} failed or refused`
  return most === undefined ? count : `${count}, most often ${outcomeLabel(most.code)}`
}
