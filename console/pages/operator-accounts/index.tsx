import { Button, TextInput } from '@mantine/core'
import { IconBuildingBank, IconFileImport, IconPlus, IconSearchOff } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, OPERATOR, useTierNames } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { Account } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { checkOptionalEmail } from '../../parts/forms/person-rules.ts'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { ListFilters } from '../../parts/tables/list-filters.tsx'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { Balance, Money } from '../../parts/text/money.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'
import { ImportPayments } from './import-payments.tsx'

const DEFAULTS = { q: '', tier: '', sort: '', do: '' }

const COLUMNS: readonly Column<Account>[] = [
  {
    head: 'Account',
    sort: 'name',
    cell: ({ name, email, id, state }) => (
      <TwoLines below={email ?? id}>
        {name} {state !== 'active' && <StatusBadge state={state} tone="bad" />}
      </TwoLines>
    ),
  },
  { head: 'Tier', from: 'sm', cell: (account) => <Tier account={account} /> },
  {
    head: `Balance, ${CURRENCY}`,
    sort: 'balance',
    isNumeric: true,
    cell: ({ balance }) => <Balance amount={balance} isBare />,
  },
  {
    head: `Total paid, ${CURRENCY}`,
    sort: 'total_paid',
    isNumeric: true,
    from: 'sm',
    cell: ({ total_paid }) => <Money amount={total_paid} isBare />,
  },
  {
    head: 'Created',
    sort: 'created_at',
    isNumeric: true,
    from: 'md',
    cell: ({ created_at }) => <TimeStamp at={created_at} as="date" />,
  },
]

export function Page() {
  const [state, setState] = useUrlState(DEFAULTS)
  const { q, tier, sort, do: doing } = state
  const query = { search: q.trim(), tier, sort }
  const accounts = useList<Account>([...ACCOUNTS_KEY, 'paged'], `${OPERATOR}/accounts`, query)
  const tierNames = useTierNames(...(tier === '' ? [] : [tier]))
  const close = () => setState({ do: '' })
  const open = (what: string) => setState({ do: what })
  return (
    <>
      <PageHeader
        title="Accounts"
        description="All customers of this gateway, with their tier, balance and payments."
        actions={<Actions onDo={open} />}
      />
      <ListFilters
        state={state}
        onChange={setState}
        label="Search accounts"
        placeholder="Name, e-mail or id"
        choice={{ name: 'tier', label: 'Tier', all: 'All tiers', options: tierNames }}
      />
      <TablePanel
        label="Accounts"
        list={accounts}
        columns={COLUMNS}
        sorting={{ sort, onSort: (wanted) => setState({ sort: wanted }) }}
        rowLink={({ id }) => ({ to: '/operator/accounts/$id', params: { id } })}
        empty={
          q === '' && tier === ''
            ? { ...NONE, action: { label: 'Create account', onClick: () => open('create'), isMain: true } }
            : {
                ...NO_MATCH,
                action: { label: 'Show all accounts', onClick: () => setState({ q: '', tier: '' }) },
              }
        }
      />
      {doing === 'create' && <CreateAccount onClose={close} />}
      {doing === 'import' && <ImportPayments onClose={close} />}
    </>
  )
}

const NONE = {
  icon: IconBuildingBank,
  title: 'No customers yet',
  children:
    'An account owns API keys and a balance. Create one, record its first payment, and create a key for it.',
}

const NO_MATCH = {
  icon: IconSearchOff,
  title: 'No matching accounts',
  children: 'The search covers names, e-mail addresses and ids.',
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

function CreateAccount({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  return (
    <FormDrawer
      title="Create an account"
      submitLabel="Create account"
      onClose={onClose}
      initialValues={{ name: '', email: '' }}
      validate={{
        name: (name) => (name.trim() === '' ? 'Enter a name' : null),
        email: checkOptionalEmail,
      }}
      send={({ name, email }) =>
        api.post<Account>(`${OPERATOR}/accounts`, { name: name.trim(), email: email.trim() || null })
      }
      done={({ name }) => `${name} was created.`}
      refreshes={[ACCOUNTS_KEY]}
      onDone={({ id }) =>
        void navigate({ to: '/operator/accounts/$id', params: { id }, search: { do: undefined } })
      }
    >
      {(field) => (
        <>
          <TextInput
            label="Name"
            description="A company, a team or a person."
            required
            data-autofocus
            {...field('name')}
          />
          <TextInput
            label="E-mail"
            type="email"
            description="For your records. No e-mail is sent."
            {...field('email')}
          />
        </>
      )}
    </FormDrawer>
  )
}
