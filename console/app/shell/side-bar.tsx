import { NavLink, Stack, Text } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { useUser } from '../../api/session.ts'
import { NAVIGATION, type NavigationGroup } from './navigation.ts'

interface SideBarProps {
  /** Closes the menu on a phone, where it covers the page. */
  readonly onNavigate: () => void
}

export function SideBar({ onNavigate }: SideBarProps) {
  const { is_operator: isOperator } = useUser()
  const groups = NAVIGATION.filter((group) => isOperator || !group.isForOperators)
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
  const active = activePath(useLocation().pathname)
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

/** The most specific entry for the address, so that only one entry is marked. */
function activePath(path: string): string | null {
  const all = NAVIGATION.flatMap((group) => group.entries.map(([to]) => to))
  const under = all.filter((to) => path === to || path.startsWith(`${to}/`))
  return under.sort((a, b) => b.length - a.length)[0] ?? null
}
