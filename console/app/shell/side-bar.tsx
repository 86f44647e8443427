import { NavLink, Stack, Text } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
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
  const bar = useActiveInSight()
  return (
    <nav ref={bar} aria-label="Pages" className="side-bar">
      <Stack gap="md" p="sm">
        {groups.map((group) => (
          <Entries key={group.label ?? ''} group={group} onNavigate={onNavigate} />
        ))}
      </Stack>
    </nav>
  )
}

/** Scrolls only the side bar, which is higher than some screens. */
function useActiveInSight() {
  const bar = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: Another page has another entry.
  useEffect(() => {
    const active = bar.current?.querySelector('[aria-current="page"]')
    if (!bar.current || !active) return
    const { top, bottom } = bar.current.getBoundingClientRect()
    const place = active.getBoundingClientRect()
    if (place.bottom > bottom) bar.current.scrollTop += place.bottom - bottom + place.height
    if (place.top < top) bar.current.scrollTop -= top - place.top + place.height
  }, [pathname])
  return bar
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
