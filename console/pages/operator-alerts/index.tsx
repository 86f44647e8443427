import { IconBell, IconHistory } from '@tabler/icons-react'
import { useUrlState } from '../../app/url-state.ts'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { PageTabs } from '../../parts/layout/page-tabs.tsx'
import { AddRecord } from '../../parts/record-page.tsx'
import { Channels, NOUN } from './channels.tsx'
import { Recent } from './recent.tsx'

export function Page() {
  const [{ tab }, setState] = useUrlState({ tab: 'recent' })
  return (
    <>
      <PageHeader
        title="Alerts"
        description="What needs attention, and the channels on which operators are told of it."
        actions={<AddRecord noun={NOUN} tab="channels" />}
      />
      <PageTabs
        value={tab}
        onChange={(value) => setState({ tab: value })}
        tabs={[
          { value: 'recent', label: 'Recent', icon: IconHistory, content: <Recent /> },
          { value: 'channels', label: 'Channels', icon: IconBell, content: <Channels /> },
        ]}
      />
    </>
  )
}
