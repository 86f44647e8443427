import {
  IconAlertTriangle,
  IconBolt,
  IconCalendarMonth,
  IconCoin,
  IconReceipt,
  IconStack2,
  IconSun,
  IconWallet,
} from '@tabler/icons-react'
import type { Overview } from '../../api/wire.ts'
import { StatCards } from '../../parts/charts/stat-card.tsx'
import { Hint } from '../../parts/layout/hint.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import {
  countTokens,
  formatCount,
  formatDate,
  formatDuration,
  formatMoney,
  formatNumber,
  formatShare,
  formatShort,
} from '../../parts/text/format.ts'
import { Balance, Money } from '../../parts/text/money.tsx'

/** The most important figures. */
export function Figures({ overview }: { readonly overview: Overview | undefined }) {
  const totals = overview?.totals
  return (
    <StatCards
      cols={{ base: 2, md: 4 }}
      cards={[
        {
          label: 'Balance',
          icon: IconWallet,
          value: overview && <Balance amount={overview.account.balance} />,
          hint: overview && describeCredit(overview.account),
        },
        {
          label: 'Spent today',
          icon: IconSun,
          value: overview && <Money amount={overview.spend.today} />,
          hint: 'Since midnight UTC',
        },
        {
          label: 'Spent this month',
          icon: IconCalendarMonth,
          value: overview && <Money amount={overview.spend.month} />,
          hint: 'Since the first, UTC',
        },
        {
          label: 'Spent in this range',
          icon: IconCoin,
          value: overview && <Money amount={overview.totals.amount} />,
          hint: overview && describePerRequest(overview.totals),
        },
        {
          label: 'Requests',
          icon: IconReceipt,
          value: totals && <Exactly value={totals.requests} />,
          hint: totals && totals.images > 0 ? formatCount(totals.images, 'image') : undefined,
        },
        {
          label: 'Tokens',
          icon: IconStack2,
          value: totals && <Exactly value={countTokens(totals.tokens)} />,
          hint: totals && <TokenParts {...totals.tokens} />,
        },
        {
          label: 'Error rate',
          icon: IconAlertTriangle,
          value: overview && formatShare(errorRate(overview)),
          hint: overview && describeErrors(overview),
        },
        {
          label: 'First byte',
          icon: IconBolt,
          value: totals && formatAverage(totals.first_byte_ms_avg),
          hint: totals && `Full response ${formatAverage(totals.duration_ms_avg)}, on average`,
        },
      ]}
    />
  )
}

/** Refused requests are errors too, although they have no settlement. */
function errorRate({ totals, refusals }: Overview): number {
  const all = totals.requests + refusals.count
  return all === 0 ? 0 : (totals.failed + refusals.count) / all
}

function describeErrors({ totals, refusals }: Overview): string {
  const failed = `${formatNumber(totals.failed)} failed`
  const refused = `${formatNumber(refusals.count)} refused`
  // Refusals are counted for a shorter time than some ranges are long.
  return `${failed}, ${refused}${refusals.from === null ? '' : ` since ${formatDate(refusals.from)}`}`
}

function Exactly({ value }: { readonly value: number }) {
  const short = formatShort(value)
  const exact = formatNumber(value)
  return short === exact ? exact : <Hint label={exact}>{short}</Hint>
}

function TokenParts({ input, cache_read, cache_write, output }: Overview['totals']['tokens']) {
  return `${formatShort(input)} in · ${formatShort(cache_read + cache_write)} cached · ${formatShort(output)} out`
}

function formatAverage(milliseconds: number | null): string {
  return milliseconds === null ? '–' : formatDuration(milliseconds)
}

function describeCredit({ credit_line, balance_alert, balance }: Overview['account']): string {
  if (credit_line === null) return 'May go below zero without limit'
  if (balance_alert !== null && Number(balance) < Number(balance_alert)) {
    return `Below your alert of ${formatMoney(balance_alert)} ${CURRENCY}`
  }
  return Number(credit_line) > 0 ? `Plus ${formatMoney(credit_line)} ${CURRENCY} of credit` : 'Prepaid'
}

function describePerRequest({ requests, amount }: Overview['totals']): string {
  if (requests === 0) return 'No requests'
  const each = (Number(amount) / requests).toFixed(9)
  return `${formatMoney(each)} ${CURRENCY} per request`
}
