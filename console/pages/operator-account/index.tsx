import { Button, Group, Stack, Tabs } from '@mantine/core'
import { IconBell, IconCoin, IconEye, IconInfoCircle, IconKey } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { OperatorAccount } from '../../api/operator-shapes.ts'
import { useUrlState } from '../../app/url-state.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { accountQuery } from './account-query.ts'
import { Alerts } from './alerts.tsx'
import { EditAccount } from './edit-account.tsx'
import { Figures } from './figures.tsx'
import { Keys } from './keys.tsx'
import { Ledger } from './ledger.tsx'
import { MoneyForm } from './money-form.tsx'
import { isMoneyKind } from './money-kinds.ts'
import { Payments } from './payments.tsx'
import { Settings } from './settings.tsx'
import { Tier } from './tier.tsx'
import { AssignTier } from './tier-form.tsx'
import { Usage } from './usage.tsx'
import { Webhook } from './webhook.tsx'

const BACK = { to: '/operator/accounts', label: 'Accounts' } as const
const ICON = { size: 16, stroke: 1.7, 'aria-hidden': true } as const

export function Page() {
  const { id = '' } = useParams({ strict: false })
  const account = useQuery(accountQuery(id))
  const { data } = account
  if (data === undefined) {
    return (
      <>
        <PageHeader title="Account" heading={account.error === null ? '…' : 'Account'} back={BACK} />
        <ErrorNotice error={account.error} onRetry={() => void account.refetch()} />
      </>
    )
  }
  return <Account account={data} />
}

function Account({ account }: { readonly account: OperatorAccount }) {
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
          <Button
            variant="default"
            leftSection={<IconEye {...ICON} />}
            renderRoot={(props) => <Link to="/overview" search={{ account: account.id }} {...props} />}
          >
            See as customer
          </Button>
        }
      />
      <Sections account={account} onDo={open} />
      {doing === 'edit' && <EditAccount account={account} onClose={close} />}
      {doing === 'tier' && <AssignTier account={account} onClose={close} />}
      {isMoneyKind(doing) && <MoneyForm account={account} kind={doing} onClose={close} />}
    </>
  )
}

interface SectionsProps {
  readonly account: OperatorAccount
  readonly onDo: (what: string) => void
}

function Sections({ account, onDo }: SectionsProps) {
  const [{ tab }, setState] = useUrlState({ tab: 'facts' })
  return (
    <Tabs value={tab} onChange={(value) => setState({ tab: value ?? 'facts' })} keepMounted={false}>
      <Tabs.List mb="lg" className="tabs-scroll">
        <Tabs.Tab value="facts" leftSection={<IconInfoCircle {...ICON} />}>
          Overview
        </Tabs.Tab>
        <Tabs.Tab value="money" leftSection={<IconCoin {...ICON} />}>
          Money
        </Tabs.Tab>
        <Tabs.Tab value="keys" leftSection={<IconKey {...ICON} />}>
          API keys
        </Tabs.Tab>
        <Tabs.Tab value="alerts" leftSection={<IconBell {...ICON} />}>
          Alerts
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="facts">
        <Stack gap="lg">
          <Figures account={account} />
          <Tier account={account} onAssign={() => onDo('tier')} />
          <Settings account={account} onEdit={() => onDo('edit')} />
          <Usage account={account} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="money">
        <Stack gap="lg">
          <Payments account={account} onRecord={() => onDo('payment')} />
          <Ledger account={account} onDo={onDo} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="keys">
        <Keys account={account} />
      </Tabs.Panel>
      <Tabs.Panel value="alerts">
        <Stack gap="lg">
          <Webhook account={account} />
          <Alerts account={account} />
        </Stack>
      </Tabs.Panel>
    </Tabs>
  )
}
