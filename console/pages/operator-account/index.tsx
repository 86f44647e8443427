import { Group, Stack } from '@mantine/core'
import { IconBell, IconCoin, IconEye, IconInfoCircle, IconKey } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import type { Account } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { DetailPage } from '../../parts/detail-page.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageTabs } from '../../parts/page-tabs.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Alerts } from './alerts.tsx'
import { Figures } from './figures.tsx'
import { Keys } from './keys.tsx'
import { Ledger, Payments } from './money.tsx'
import { isMoneyKind, MoneyForm } from './money-form.tsx'
import { EditAccount, Settings } from './settings.tsx'
import { AssignTier, Tier } from './tier.tsx'
import { Usage } from './usage.tsx'
import { Webhook } from './webhook.tsx'

const BACK = { to: '/operator/accounts', label: 'Accounts' } as const

export function Page() {
  const { id = '' } = useParams({ strict: false })
  const account = useQuery({
    queryKey: [...ACCOUNTS_KEY, id],
    queryFn: ({ signal }) => api.get<Account>(accountCall(id), { signal }),
  })
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
            See as customer
          </ButtonLink>
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
