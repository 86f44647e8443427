import { IconMessages, IconPhoto } from '@tabler/icons-react'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { PageTabs } from '../../parts/layout/page-tabs.tsx'
import { Chat } from './chat.tsx'
import { ImageStudio } from './image-studio.tsx'

export function Page() {
  const account = useAccount()
  const [{ mode }, setState] = useUrlState({ mode: 'chat' })
  return (
    <>
      <PageHeader
        title="Playground"
        description="Try any model as your programs would. Requests are real: they use a key named Playground and are charged as usual."
      />
      <PageTabs
        value={mode}
        onChange={(value) => setState({ mode: value })}
        isKept
        tabs={[
          {
            value: 'chat',
            label: 'Chat',
            icon: IconMessages,
            content: <Chat key={account.id} account={account.id} />,
          },
          {
            value: 'images',
            label: 'Images',
            icon: IconPhoto,
            content: <ImageStudio key={account.id} account={account.id} />,
          },
        ]}
      />
    </>
  )
}
