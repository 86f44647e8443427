import { Button, Group, Menu, Text } from '@mantine/core'
import { IconArrowLeft, IconCheck, IconEye, IconSelector } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import type { Account } from '../../api/wire.ts'
import { ButtonLink } from '../../parts/text/links.tsx'
import { type ChosenAccount, useChosenAccount } from '../account.ts'
import { ROLE_WORDS } from '../role-words.ts'

/** Selects the account. The choice is part of the address. */
export function AccountSwitcher() {
  const session = useSession()
  const account = useChosenAccount()
  const name = useAccountName(account)
  const navigate = useNavigate()
  if (account === null || session === undefined) return null
  const choose = (id: string) => void navigate({ to: '.', search: { account: id } })
  return (
    <Menu position="bottom-start" width={260} shadow="md">
      <Menu.Target>
        <Button
          variant="default"
          size="compact-md"
          fz="sm"
          className="account-switcher"
          rightSection={<IconSelector size={15} aria-hidden />}
          aria-label={`Account: ${name}. Switch account`}
        >
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Accounts</Menu.Label>
        {session.accounts.map(({ id, name: label, role }) => (
          <Menu.Item
            key={id}
            onClick={() => choose(id)}
            rightSection={id === account.id ? <IconCheck size={15} aria-label="chosen" /> : null}
          >
            <Text size="sm" truncate>
              {label}
            </Text>
            <Text size="xs" c="dimmed">
              {ROLE_WORDS[role].label}
            </Text>
          </Menu.Item>
        ))}
        {account.role === 'operator' && (
          <Menu.Item disabled>
            <Text size="sm" truncate>
              {name}
            </Text>
            <Text size="xs">viewing as operator</Text>
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** An operator can view accounts that are not in the session, so load the name. */
function useAccountName(account: ChosenAccount | null): string {
  const id = account?.id ?? ''
  const { data } = useQuery({
    queryKey: ['operator', 'accounts', id],
    queryFn: ({ signal }) => api.get<Account>(`/operator/v1/accounts/${encodeURIComponent(id)}`, { signal }),
    enabled: account?.role === 'operator',
  })
  return data?.name ?? account?.name ?? ''
}

/** Tells an operator that a page is a customer's, and leads back. */
export function ViewingBanner({ account }: { readonly account: ChosenAccount }) {
  const name = useAccountName(account)
  return (
    <Group component="aside" aria-label="Viewing as a customer" className="viewing-banner" gap="sm">
      <IconEye size={18} stroke={1.7} aria-hidden />
      <Text size="sm" flex="1 1 240px" component="div">
        You see <strong>{name}</strong> as its customer does. What you change here is changed for this
        account, under your name.
      </Text>
      <ButtonLink
        size="xs"
        variant="default"
        leftSection={<IconArrowLeft size={14} aria-hidden />}
        to="/operator/accounts/$id"
        params={{ id: account.id }}
        search={{ account: undefined }}
      >
        Back to the operator’s page
      </ButtonLink>
    </Group>
  )
}
