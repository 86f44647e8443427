import { NavLink, Stack, Text } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { useUser } from '../../api/session.ts'
import { useRights } from '../account.ts'
import { entryOf, type NavigationGroup, navigationFor } from './navigation.ts'

interface SideBarProps {
  /** Closes the menu on a phone, where it covers the page. */
  readonly onNavigate: () => void
}

export function SideBar({ onNavigate }: SideBarProps) {
  const { is_operator: isOperator } = useUser()
  const groups = navigationFor(isOperator, useRights())
  return (
    <nav aria-label="Pages" className="side-bar">
      <Stack gap="md" p="sm">
        {groups.map((group) => (
          <Entries key={group.label ?? ''} group={group} onNavigate={onNavigate} />
        ))}
      </Stack>
    </nav>
  )
}

function Entries({ group, onNavigate }: SideBarProps & { readonly group: NavigationGroup }) {
  const active = entryOf(useLocation().pathname)?.[0]
  return (
    <div>
      {group.label !== null && (
        <Text size="xs" fw={600} c="dimmed" px="sm" pb={6} pt={4} className="nav-label">
          {group.label}
        </Text>
      )}
      <Stack gap={2}>
        {group.entries.map(([to, label, Glyph]) => (
          <NavLink
            key={to}
            className="nav-link"
            renderRoot={(props) => <Link to={to} activeOptions={{ exact: true }} {...props} />}
            label={label}
            leftSection={<Glyph size={18} stroke={1.7} aria-hidden />}
            active={to === active}
            aria-current={to === active ? 'page' : undefined}
            onClick={onNavigate}
          />
        ))}
      </Stack>
    </div>
  )
}
