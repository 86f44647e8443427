import { Stack } from '@mantine/core'
import { IconShieldLock, IconUser, IconUsers } from '@tabler/icons-react'
import { useChosenAccount, useMay } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { PageTabs } from '../../parts/layout/page-tabs.tsx'
import { Members } from './members.tsx'
import { Password, Profile } from './profile.tsx'
import { SecondFactorSettings } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

export function Page() {
  const account = useChosenAccount()
  const mayManage = useMay('manage-account')
  const [{ tab }, setState] = useUrlState({ tab: 'profile' })
  const members =
    account !== null && mayManage
      ? [{ value: 'members', label: 'Members', icon: IconUsers, content: <Members account={account} /> }]
      : []
  return (
    <>
      <PageHeader title="Settings" description="Your profile and security, and the members of the account." />
      <PageTabs
        value={tab}
        onChange={(value) => setState({ tab: value })}
        tabs={[
          { value: 'profile', label: 'Profile', icon: IconUser, content: <Profile /> },
          { value: 'security', label: 'Security', icon: IconShieldLock, content: <Security /> },
          ...members,
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
