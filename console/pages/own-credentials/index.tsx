import { Anchor, Button, List, Stack, Text } from '@mantine/core'
import { IconLock, IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useOwnSuppliers } from '../../api/own-suppliers.ts'
import { type ChosenAccount, isOwner, useAccount } from '../../app/account.ts'
import { PageLoading } from '../../app/page-loading.tsx'
import { useUrlState } from '../../app/url-state.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { AddSupplier } from './add-supplier.tsx'
import { SupplierPanel } from './supplier-panel.tsx'

export function Page() {
  const account = useAccount()
  if (!isOwner(account)) {
    return (
      <EmptyState icon={IconLock} title="For owners of the account" isWholePage>
        Own credentials cost the account money elsewhere, so only its owners see and change them. Ask one of
        them.
      </EmptyState>
    )
  }
  return <OwnCredentials account={account} />
}

function OwnCredentials({ account }: { readonly account: ChosenAccount }) {
  const list = useOwnSuppliers(account.id)
  const [{ add }, setState] = useUrlState({ add: '' })
  const open = () => setState({ add: 'yes' })
  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Add a supplier
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Own credentials"
        description="Bring keys you have with suppliers yourself. Your requests then go out under them, the supplier bills you, and this gateway charges nothing for these requests."
        actions={list.rows.length > 0 && addButton}
      />
      <Stack gap="lg">
        <ErrorNotice error={list.error} onRetry={list.retry} />
        {list.isPending && list.error === null && <PageLoading />}
        {!list.isPending && list.rows.length === 0 && list.error === null && (
          <Panel>
            <EmptyState icon={IconPlugConnected} title="No credentials of your own" action={addButton}>
              All requests are served by the gateway’s shared suppliers and paid from your balance. That needs
              no set-up.
            </EmptyState>
          </Panel>
        )}
        {list.rows.map((supplier) => (
          <SupplierPanel key={supplier.id} account={account.id} supplier={supplier} />
        ))}
        <Meaning />
      </Stack>
      {add !== '' && <AddSupplier account={account} onClose={() => setState({ add: '' })} />}
    </>
  )
}

function Meaning() {
  return (
    <Panel title="What it means">
      <List size="sm" spacing="xs" className="plain-list">
        <List.Item>
          Models that the gateway offers from the same vendor are served under your key, without further
          set-up. For others, ask your operator for a route.
        </List.Item>
        <List.Item>
          A model that your own supplier serves goes nowhere else: when your key fails, the request fails
          rather than spend your balance. The switch <b>shared fallback</b> of each{' '}
          <Anchor inherit underline="always" renderRoot={(props) => <Link to="/keys" {...props} />}>
            API key
          </Anchor>{' '}
          lets shared suppliers step in, at their usual price.
        </List.Item>
        <List.Item>
          Limits and allowlists of your keys hold all the same, and every request is recorded.
        </List.Item>
        <List.Item>
          Only this account’s keys can use it; for everybody else it does not exist. The secret is stored
          encrypted and never shown again. One that the supplier refuses is switched off, and you get an
          alert.
        </List.Item>
      </List>
      <Text size="sm" c="dimmed" mt="sm">
        Deleting a credential stops its use with the next request.
      </Text>
    </Panel>
  )
}
