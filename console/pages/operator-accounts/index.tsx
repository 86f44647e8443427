import { Button, Text } from '@mantine/core'
import { IconBuildingBank, IconFileImport, IconPlus, IconSearchOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { TIER_NAMES } from '../../../src/vocabulary/words.ts'
import { ACCOUNTS_KEY, allAccountsQuery, OPERATOR } from '../../api/operator.ts'
import { type List, useList } from '../../api/use-list.ts'
import type { Account } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ListFilters } from '../../parts/list-filters.tsx'
import { Money } from '../../parts/money.tsx'
import { matchesWords, narrowList } from '../../parts/narrow-list.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { asList } from '../../parts/static-list.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'
import { CreateAccount } from './create-account.tsx'
import { ImportPayments } from './import-payments.tsx'

const DEFAULTS = { q: '', tier: '', do: '' }

const COLUMNS: readonly Column<Account>[] = [
  { head: 'Account', cell: (account) => <Name account={account} /> },
  { head: 'Tier', from: 'sm', cell: (account) => <Tier account={account} /> },
  { head: 'Balance, USDT', isNumeric: true, cell: ({ balance }) => <Balance balance={balance} /> },
  {
    head: 'Paid in all, USDT',
    isNumeric: true,
    from: 'sm',
    cell: ({ total_paid }) => <Money amount={total_paid} isBare />,
  },
  {
    head: 'Created',
    isNumeric: true,
    from: 'md',
    cell: ({ created_at }) => <TimeStamp at={created_at} as="date" />,
  },
]

export function Page() {
  const [{ q, tier, do: doing }, setState] = useUrlState(DEFAULTS)
  const list = useAccounts(q, tier)
  const close = () => setState({ do: '' })
  return (
    <>
      <PageHeader
        title="Accounts"
        description="Every customer of this gateway: what they have paid, what is left, and how much they may use."
        actions={<Actions onDo={(what) => setState({ do: what })} />}
      />
      <ListFilters
        search={{
          label: 'Search accounts',
          placeholder: 'Name, e-mail or id',
          value: q,
          onSearch: (text) => setState({ q: text }),
        }}
        choice={{
          label: 'Tier',
          all: 'All tiers',
          options: TIER_NAMES,
          value: tier,
          onChange: (chosen) => setState({ tier: chosen }),
        }}
      />
      <Panel isFlush>
        <DataTable
          label="Accounts"
          list={list}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          rowLink={({ id }) => ({ to: '/operator/accounts/$id', params: { id } })}
          empty={
            q === '' && tier === '' ? (
              <NoAccounts onCreate={() => setState({ do: 'create' })} />
            ) : (
              <NoMatch onClear={() => setState({ q: '', tier: '' })} />
            )
          }
        />
      </Panel>
      {doing === 'create' && <CreateAccount onClose={close} />}
      {doing === 'import' && <ImportPayments onClose={close} />}
    </>
  )
}

/** Page by page as long as nobody searches; the gateway's list cannot be searched, so for that all of it is read. */
function useAccounts(q: string, tier: string): List<Account> {
  const isNarrowed = q.trim() !== '' || tier !== ''
  const paged = useList<Account>([...ACCOUNTS_KEY, 'paged'], `${OPERATOR}/accounts`)
  const whole = useQuery({ ...allAccountsQuery, enabled: isNarrowed })
  if (!isNarrowed) return paged
  return narrowList(
    asList(whole),
    (account) =>
      (tier === '' || account.tier === tier) &&
      matchesWords(q.trim(), [account.name, account.email, account.id]),
  )
}

function Actions({ onDo }: { readonly onDo: (what: string) => void }) {
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFileImport size={16} aria-hidden />}
        onClick={() => onDo('import')}
      >
        Import payments
      </Button>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => onDo('create')}>
        Create account
      </Button>
    </>
  )
}

function Name({ account: { name, email, id } }: { readonly account: Account }) {
  return (
    <span className="two-lines">
      {name}
      <Text span size="xs" c="dimmed" fw={400}>
        {email ?? id}
      </Text>
    </span>
  )
}

function Tier({ account: { tier, tier_assignment } }: { readonly account: Account }) {
  const isAssigned = tier_assignment !== null && tier_assignment.tier === tier
  return (
    <StatusBadge
      state={tier}
      tone={isAssigned ? 'info' : 'neutral'}
      label={isAssigned ? `${tier}, assigned` : tier}
    />
  )
}

function Balance({ balance }: { readonly balance: string }) {
  return (
    <Text span inherit {...(balance.startsWith('-') && { c: 'var(--mantine-color-error)' })}>
      <Money amount={balance} isBare />
    </Text>
  )
}

function NoAccounts({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <EmptyState
      icon={IconBuildingBank}
      title="No customers yet"
      action={<Button onClick={onCreate}>Create account</Button>}
    >
      An account owns API keys and a balance. Create one, record its first payment, and give it a key.
    </EmptyState>
  )
}

function NoMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title="No account matches"
      action={
        <Button variant="default" onClick={onClear}>
          Show all accounts
        </Button>
      }
    >
      Names, e-mail addresses and ids are searched. Every word must occur in one of them.
    </EmptyState>
  )
}
