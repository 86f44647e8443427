import { Stack } from '@mantine/core'
import { IconBuilding, IconShieldLock, IconUser, IconUsers } from '@tabler/icons-react'
import { type ChosenAccount, useChosenAccount, useMay } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { PageTabs } from '../../parts/layout/page-tabs.tsx'
import { AccountSettings } from './account.tsx'
import { Invites } from './invites.tsx'
import { Members } from './members.tsx'
import { Password, Profile } from './profile.tsx'
import { SecondFactorSettings } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

export function Page() {
  const account = useChosenAccount()
  const mayManage = useMay('manage-account')
  const [{ tab }, setState] = useUrlState({ tab: 'profile' })
  const forOwners =
    account !== null && mayManage
      ? [
          { value: 'members', label: 'Members', icon: IconUsers, content: <People account={account} /> },
          {
            value: 'account',
            label: 'Account',
            icon: IconBuilding,
            content: <AccountSettings key={account.id} account={account} />,
          },
        ]
      : []
  return (
    <>
      <PageHeader
        title="Settings"
        description="Your profile and security, the members of the account, and its name."
      />
      <PageTabs
        value={tab}
        onChange={(value) => setState({ tab: value })}
        tabs={[
          { value: 'profile', label: 'Profile', icon: IconUser, content: <Profile /> },
          { value: 'security', label: 'Security', icon: IconShieldLock, content: <Security /> },
          ...forOwners,
        ]}
      />
    </>
  )
}

function Security() {
  return (
    <Stack gap="lg">
      <Password />
      <SecondFactorSettings />
      <Sessions />
    </Stack>
  )
}

function People({ account }: { readonly account: ChosenAccount }) {
  return (
    <Stack gap="lg">
      <Members account={account} />
      <Invites account={account} />
    </Stack>
  )
}
