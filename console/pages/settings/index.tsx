import { Stack, Tabs } from '@mantine/core'
import { IconShieldLock, IconUser, IconUsers } from '@tabler/icons-react'
import { isOwner, useChosenAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { Members } from './members.tsx'
import { Password } from './password.tsx'
import { Profile } from './profile.tsx'
import { SecondFactorSettings } from './second-factor-settings.tsx'
import { Sessions } from './sessions.tsx'

const ICON = { size: 16, stroke: 1.7, 'aria-hidden': true } as const

export function Page() {
  const account = useChosenAccount()
  const [{ tab }, setState] = useUrlState({ tab: 'profile' })
  const hasMembers = account !== null && isOwner(account)
  return (
    <>
      <PageHeader
        title="Settings"
        description="Your own profile and security, and who else may use the account."
      />
      <Tabs value={tab} onChange={(value) => setState({ tab: value ?? 'profile' })} keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="profile" leftSection={<IconUser {...ICON} />}>
            Profile
          </Tabs.Tab>
          <Tabs.Tab value="security" leftSection={<IconShieldLock {...ICON} />}>
            Security
          </Tabs.Tab>
          {hasMembers && (
            <Tabs.Tab value="members" leftSection={<IconUsers {...ICON} />}>
              Members
            </Tabs.Tab>
          )}
        </Tabs.List>
        <Tabs.Panel value="profile">
          <Profile />
        </Tabs.Panel>
        <Tabs.Panel value="security">
          <Stack gap="lg">
            <Password />
            <SecondFactorSettings />
            <Sessions />
          </Stack>
        </Tabs.Panel>
        {hasMembers && (
          <Tabs.Panel value="members">
            <Members account={account} />
          </Tabs.Panel>
        )}
      </Tabs>
    </>
  )
}
