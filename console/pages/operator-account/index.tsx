import { Button, Group, Stack } from '@mantine/core'
import { IconBell, IconCoin, IconEye, IconInfoCircle, IconKey } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { Account } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { DetailPage } from '../../parts/detail-page.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageTabs } from '../../parts/page-tabs.tsx'
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

export function Page() {
  const { id = '' } = useParams({ strict: false })
  return (
    <DetailPage query={useQuery(accountQuery(id))} title="Account" back={BACK}>
      {(account) => <AccountDetails account={account} />}
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
            leftSection={<IconEye size={16} stroke={1.7} aria-hidden />}
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
            </Stack>
          ),
        },
        {
          value: 'money',
          label: 'Money',
          icon: IconCoin,
          content: (
            <Stack gap="lg">
              <Payments account={account} onRecord={() => onDo('payment')} />
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
