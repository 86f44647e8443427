import { SimpleGrid, Stack } from '@mantine/core'
import { IconCoin, IconReceipt, IconReportMoney, IconWallet } from '@tabler/icons-react'
import { useOverview } from '../../api/overview.ts'
import { useAccount, useRights } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { rangeOf } from '../../parts/charts/range-picker.tsx'
import { StatCard } from '../../parts/charts/stat-card.tsx'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { PageTabs } from '../../parts/layout/page-tabs.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatMoney } from '../../parts/text/format.ts'
import { Balance, Money } from '../../parts/text/money.tsx'
import { Alerts } from './balance-alert.tsx'
import { BodyStoragePanel } from './body-storage.tsx'
import { ExportPanel } from './export-panel.tsx'
import { Ledger } from './lists.tsx'
import { Payments } from './ways-to-pay.tsx'
import { WebhookPanel } from './webhook.tsx'

const TABS = [
  { value: 'ledger', label: 'Ledger', Content: Ledger },
  { value: 'payments', label: 'Payments', Content: Payments },
  { value: 'exports', label: 'Exports', Content: ExportPanel },
  { value: 'alerts', label: 'Alerts', Content: Alerts },
  { value: 'webhook', label: 'Webhook', Content: WebhookPanel, right: 'manage-alerts' },
  { value: 'bodies', label: 'Stored bodies', Content: BodyStoragePanel, right: 'manage-bodies' },
] as const

export function Page() {
  const account = useAccount()
  const may = useRights()
  const [{ tab }, setState] = useUrlState({ tab: 'ledger' })
  const tabs = TABS.filter((each) => !('right' in each) || may(each.right))
  return (
    <>
      <PageHeader title="Billing" description="Your balance, payments, exports and alerts." />
      <Stack gap="lg">
        <Figures account={account.id} />
        <PageTabs
          value={tab}
          onChange={(value) => setState({ tab: value })}
          tabs={tabs.map(({ Content, ...each }) => ({
            ...each,
            content: <Content account={account.id} />,
          }))}
        />
      </Stack>
    </>
  )
}

function Figures({ account }: { readonly account: string }) {
  const overview = useOverview(account, rangeOf('30d'))
  const { data } = overview
  return (
    <>
      <ErrorNotice error={overview.error} onRetry={() => void overview.refetch()} />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <StatCard
          label="Balance"
          icon={IconWallet}
          value={data && <Balance amount={data.account.balance} />}
          hint={data && creditHint(data.account.credit_line)}
        />
        <StatCard
          label="Spent today"
          icon={IconCoin}
          value={data && <Money amount={data.spend.today} />}
          hint="Since midnight UTC"
        />
        <StatCard
          label="Spent this month"
          icon={IconReceipt}
          value={data && <Money amount={data.spend.month} />}
          hint="Since the first, UTC"
        />
        <StatCard
          label="Total paid"
          icon={IconReportMoney}
          value={data && <Money amount={data.account.total_paid} />}
        />
      </SimpleGrid>
    </>
  )
}

function creditHint(creditLine: string | null): string {
  if (creditLine === null) return 'Unlimited credit'
  if (/^0(\.0+)?$/.test(creditLine)) return 'Requests are refused at zero'
  return `Can go ${formatMoney(creditLine)} ${CURRENCY} below zero`
}
