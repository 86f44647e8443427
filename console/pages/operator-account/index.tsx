import { Box, Group, SimpleGrid, Stack } from '@mantine/core'
import {
  IconBell,
  IconCoin,
  IconEye,
  IconGauge,
  IconInfoCircle,
  IconKey,
  IconReceipt,
  IconScale,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { getQuery } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import { useRefusalCounts, useUsage } from '../../api/usage.ts'
import { useList } from '../../api/use-list.ts'
import type { Account, ApiKey } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { StatCard } from '../../parts/charts/stat-card.tsx'
import { UsagePanel, useMetric } from '../../parts/charts/usage-panel.tsx'
import { describePeriod } from '../../parts/keys/key-words.ts'
import { DetailPage } from '../../parts/layout/detail-page.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { PageTabs } from '../../parts/layout/page-tabs.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatMoney, formatNumber, formatShort } from '../../parts/text/format.ts'
import { ButtonLink } from '../../parts/text/links.tsx'
import { Balance, Money } from '../../parts/text/money.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'
import { Ledger, Payments } from './money.tsx'
import { isMoneyKind, MoneyForm } from './money-form.tsx'
import { EditAccount, Settings } from './settings.tsx'
import { AccountState, ChangeState, isStateChange, StateNotice } from './state.tsx'
import { AssignTier, Tier } from './tier.tsx'
import { Alerts, Webhook } from './webhook.tsx'

const BACK = { to: '/operator/accounts', label: 'Accounts' } as const

export function Page() {
  const { id = '' } = useParams({ strict: false })
  const account = useQuery(getQuery<Account>([...ACCOUNTS_KEY, id], accountCall(id)))
  return (
    <DetailPage query={account} title="Account" back={BACK}>
      {(data) => <AccountDetails account={data} />}
    </DetailPage>
  )
}

function AccountDetails({ account }: { readonly account: Account }) {
  const [{ do: doing }, setState] = useUrlState({ do: '' })
  const close = () => setState({ do: '' })
  const open = (what: string) => setState({ do: what })
  return (
    <>
      <PageHeader
        title={account.name}
        heading={
          <Group gap="sm">
            {account.name}
            <StatusBadge state={account.tier} tone="info" />
            {account.state !== 'active' && <StatusBadge state={account.state} tone="bad" />}
          </Group>
        }
        description={
          <Group gap={4}>
            {account.email !== null && <span>{account.email} ·</span>}
            <span className="mono">{account.id}</span>
            <CopyButton value={account.id} what="the account's id" />
          </Group>
        }
        back={BACK}
        actions={
          <ButtonLink
            variant="default"
            leftSection={<IconEye size={16} stroke={1.7} aria-hidden />}
            to="/overview"
            search={{ account: account.id }}
          >
            View as customer
          </ButtonLink>
        }
      />
      <StateNotice account={account} />
      <Sections account={account} onDo={open} />
      {doing === 'edit' && <EditAccount account={account} onClose={close} />}
      {doing === 'tier' && <AssignTier account={account} onClose={close} />}
      {isStateChange(doing) && <ChangeState account={account} change={doing} onClose={close} />}
      {isMoneyKind(doing) && <MoneyForm account={account} kind={doing} onClose={close} />}
    </>
  )
}

interface SectionsProps {
  readonly account: Account
  readonly onDo: (what: string) => void
}

function Sections({ account, onDo }: SectionsProps) {
  const [{ tab }, setState] = useUrlState({ tab: 'facts' })
  return (
    <PageTabs
      value={tab}
      onChange={(value) => setState({ tab: value })}
      tabs={[
        {
          value: 'facts',
          label: 'Overview',
          icon: IconInfoCircle,
          content: (
            <Stack gap="lg">
              <Figures account={account} />
              <Tier account={account} onAssign={() => onDo('tier')} />
              <Settings account={account} onEdit={() => onDo('edit')} />
              <Usage account={account} />
              <AccountState account={account} onDo={onDo} />
            </Stack>
          ),
        },
        {
          value: 'money',
          label: 'Money',
          icon: IconCoin,
          content: (
            <Stack gap="lg">
              <Payments account={account} onDo={onDo} />
              <Ledger account={account} onDo={onDo} />
            </Stack>
          ),
        },
        { value: 'keys', label: 'API keys', icon: IconKey, content: <Keys account={account} /> },
        {
          value: 'alerts',
          label: 'Alerts',
          icon: IconBell,
          content: (
            <Stack gap="lg">
              <Webhook account={account} />
              <Alerts account={account} />
            </Stack>
          ),
        },
      ]}
    />
  )
}

function Figures({ account }: { readonly account: Account }) {
  const { limits, tier_due: due, credit_line: creditLine } = account
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <StatCard
        label="Balance"
        value={<Balance amount={account.balance} />}
        hint={
          creditLine === null
            ? 'Unlimited credit'
            : creditLine === '0'
              ? 'Prepaid'
              : `May owe up to ${formatMoney(creditLine)}`
        }
        icon={IconCoin}
      />
      <StatCard
        label="Total paid"
        value={<Money amount={account.total_paid} />}
        hint={due === null ? `Earns ${account.earned_tier}` : `Earns ${due} at the next full hour`}
        icon={IconReceipt}
      />
      <StatCard
        label="Requests a minute"
        value={limits.rpm === null ? 'No limit' : formatNumber(limits.rpm)}
        hint="For the whole account"
        icon={IconGauge}
      />
      <StatCard
        label="Tokens a minute"
        value={limits.tpm === null ? 'No limit' : formatShort(limits.tpm)}
        hint="For the whole account"
        icon={IconScale}
      />
    </SimpleGrid>
  )
}

function Usage({ account }: { readonly account: Account }) {
  const { metric, range, choice, spanChoice } = useMetric()
  return (
    <UsagePanel
      title="Usage by model"
      actions={
        <>
          {choice}
          {spanChoice}
        </>
      }
      label={`Usage of ${account.name} by model, per ${range.granularity}`}
      usage={useUsage(account.id, { ...range, group_by: 'model' })}
      spell={range}
      metric={metric}
      nameOf={(model) => model ?? 'none'}
      refusals={useRefusalCounts(account.id, range, { isWanted: metric === 'errors' })}
      height={260}
    />
  )
}

function Keys({ account }: { readonly account: Account }) {
  const columns: readonly Column<ApiKey>[] = [
    {
      head: 'Key',
      cell: (key) => (
        // The customer's page for the key, where you change, rotate or revoke it.
        <Link to="/keys/$id" params={{ id: key.id }} search={{ account: account.id }} className="row-opener">
          <TwoLines below={`…${key.last_four}`} belowClass="mono">
            {key.name}
          </TwoLines>
          {key.state !== 'active' && (
            <Box hiddenFrom="sm" mt={4}>
              <StatusBadge state={key.state} />
            </Box>
          )}
        </Link>
      ),
    },
    { head: 'State', from: 'sm', cell: ({ state }) => <StatusBadge state={state} /> },
    {
      head: 'Limit',
      from: 'sm',
      cell: ({ usage_limit: limit }) =>
        limit === null ? 'None' : `${formatMoney(limit.amount)} ${CURRENCY} ${describePeriod(limit.period)}`,
    },
    {
      head: `This month, ${CURRENCY}`,
      isNumeric: true,
      cell: ({ usage }) => <Money amount={usage.spent_this_month} isBare />,
    },
    { head: 'Expires', from: 'md', cell: ({ expires_at }) => <TimeStamp at={expires_at} as="date" /> },
    { head: 'Created', from: 'md', cell: ({ created_at }) => <TimeStamp at={created_at} as="date" /> },
  ]
  return (
    <TablePanel
      title="API keys"
      description="Open a key to change, rotate or revoke it on the customer’s page."
      list={useList<ApiKey>([...ACCOUNTS_KEY, account.id, 'keys'], accountCall(account.id, '/keys'))}
      columns={columns}
      empty={{
        icon: IconKey,
        title: 'No API keys yet',
        children: 'The customer creates keys, or you do under “View as customer”.',
      }}
    />
  )
}
