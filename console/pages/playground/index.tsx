import { Tabs } from '@mantine/core'
import { IconMessages, IconPhoto } from '@tabler/icons-react'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { Chat } from './chat.tsx'
import { ImageStudio } from './image-studio.tsx'

const ICON = { size: 16, stroke: 1.7, 'aria-hidden': true } as const

export function Page() {
  const account = useAccount()
  const [{ mode }, setState] = useUrlState({ mode: 'chat' })
  return (
    <>
      <PageHeader
        title="Playground"
        description="Try any model as your programs would. Requests are real: they use a key of their own, named Playground, and cost what they cost."
      />
      <Tabs
        value={mode === 'images' ? 'images' : 'chat'}
        onChange={(value) => setState({ mode: value ?? 'chat' })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="chat" leftSection={<IconMessages {...ICON} />}>
            Chat
          </Tabs.Tab>
          <Tabs.Tab value="images" leftSection={<IconPhoto {...ICON} />}>
            Images
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="chat">
          <Chat key={account.id} account={account.id} />
        </Tabs.Panel>
        <Tabs.Panel value="images">
          <ImageStudio key={account.id} account={account.id} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
