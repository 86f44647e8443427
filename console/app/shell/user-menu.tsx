import { ActionIcon, Menu, Text } from '@mantine/core'
import { IconBook2, IconKeyboard, IconLogout, IconSettings, IconUserCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { signOut, useUser } from '../../api/session.ts'
import { showFailure } from '../../parts/layout/notify.ts'

export function UserMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const { name, email, is_operator: isOperator } = useUser()
  const leave = () => void signOut({ everywhere: false }).catch(showFailure)
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <ActionIcon size="lg" radius="xl" aria-label={`User menu: ${name || email}`}>
          <IconUserCircle size={22} stroke={1.5} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} truncate c="var(--mantine-color-text)">
            {name || email}
          </Text>
          <Text size="xs" truncate>
            {email}
            {isOperator ? ' · operator' : ''}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconSettings size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/settings" {...props} />}
        >
          Settings
        </Menu.Item>
        <Menu.Item
          component="a"
          href="/docs"
          target="_blank"
          leftSection={<IconBook2 size={16} aria-hidden />}
        >
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} aria-hidden />} onClick={onShortcuts}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
