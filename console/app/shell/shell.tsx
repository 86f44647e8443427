import { Burger, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, useLocation, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useSession } from '../../api/session.ts'
import { useEvents } from '../../api/use-events.ts'
import { ConnectionNotice } from '../../parts/layout/connection-notice.tsx'
import { OtherAccountNotice } from '../../parts/layout/other-account-notice.tsx'
import { rememberAccount, useChosenAccount } from '../account.ts'
import { PageLoading } from '../page-loading.tsx'
import { PageRight } from '../page-right.tsx'
import { Shortcuts } from '../shortcuts/shortcuts.tsx'
import { AccountSwitcher, ViewingBanner } from './account-switcher.tsx'
import { Brand } from './brand.tsx'
import { useFocusKeeper } from './focus-keeper.ts'
import { NoAccount } from './no-account.tsx'
import { Palette } from './palette.tsx'
import { SchemeToggle } from './scheme-toggle.tsx'
import { SideBar } from './side-bar.tsx'
import { UserMenu } from './user-menu.tsx'

const MAIN_ID = 'main'

/** The frame around every page behind the sign-in. */
export function Shell() {
  const session = useSession()
  const location = useLocation()
  const account = useChosenAccount()
  const [isMenuOpen, menu] = useDisclosure(false)
  const connection = useEvents(account?.id ?? null, Boolean(session?.user))
  useFocusOnPage(location.pathname)
  useFocusKeeper(MAIN_ID)
  useEffect(() => {
    if (account !== null) rememberAccount(account.id)
  }, [account])

  const isSignedOut = session?.user === null
  useSignInAgain(isSignedOut)
  if (isSignedOut) return <PageLoading />
  const isAccountPage = !/^\/(operator|settings)/.test(location.pathname)
  return (
    <div className="shell">
      <a className="skip-link" href={`#${MAIN_ID}`}>
        Skip to content
      </a>
      <header className="shell-header">
        <Group gap="sm" wrap="nowrap" miw={0}>
          <Burger
            opened={isMenuOpen}
            onClick={menu.toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isMenuOpen ? 'Close menu' : 'Open menu'}
            aria-expanded={isMenuOpen}
          />
          <Brand />
          <AccountSwitcher />
        </Group>
        <Group gap={6} wrap="nowrap">
          <Palette />
          <SchemeToggle />
          <Shortcuts>{(openHelp) => <UserMenu onShortcuts={openHelp} />}</Shortcuts>
        </Group>
      </header>
      <div className="shell-navbar" data-open={isMenuOpen || undefined}>
        <SideBar onNavigate={menu.close} />
        <Text size="xs" c="dimmed" px="md" py="sm" component="footer">
          Turnpike {session?.version}
        </Text>
      </div>
      <main id={MAIN_ID} tabIndex={-1} className="shell-main">
        {isAccountPage && account?.role === 'operator' && <ViewingBanner account={account} />}
        <div className="shell-page">
          <ConnectionNotice connection={connection} />
          <OtherAccountNotice account={account} />
          {isAccountPage && account === null ? (
            <NoAccount />
          ) : (
            <PageRight path={location.pathname}>
              <Outlet />
            </PageRight>
          )}
        </div>
      </main>
    </div>
  )
}

/** If the session ends while a page is open, goes to sign-in and back here afterwards. */
function useSignInAgain(isSignedOut: boolean): void {
  const router = useRouter()
  useEffect(() => {
    if (isSignedOut) void router.invalidate()
  }, [isSignedOut, router])
}

/** Moves the focus to the new page, so that keyboard and screen reader continue there. */
function useFocusOnPage(path: string): void {
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    document.getElementById(MAIN_ID)?.focus({ preventScroll: true })
  }, [path])
}
