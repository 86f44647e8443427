import { Button, Group, SegmentedControl } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCode, IconHistory, IconMessagePlus } from '@tabler/icons-react'
import { CodeDrawer } from '../code-drawer.tsx'
import { ModelColumns } from '../model-columns.tsx'
import { Foldable, SidePanel } from '../side-panel.tsx'
import { turnsOf, userTurn } from './conversation.ts'
import { ChatsDrawer } from './kept/chats-drawer.tsx'
import { SettingsForm } from './settings.tsx'
import type { ChatState } from './use-chat.ts'

export interface ChatSideProps {
  readonly chat: ChatState
  /** Above the chat instead of beside it. */
  readonly isWide: boolean
  readonly isRaw: boolean
  readonly onRaw: (isRaw: boolean) => void
}

/** The models, their settings, and what can be done with the whole chat. */
export function ChatSide({ chat, isWide, isRaw, onRaw }: ChatSideProps) {
  const { talkers, models, format, setAsked, settings, changeSettings } = chat
  return (
    <SidePanel>
      <ModelColumns models={talkers} chosen={models} onChange={(chosen) => setAsked({ models: chosen })} />
      <Foldable isAlways={isWide}>
        <SettingsForm
          format={format}
          onFormat={(value) => setAsked({ format: value })}
          settings={settings}
          onChange={changeSettings}
        />
      </Foldable>
      <SegmentedControl
        fullWidth
        aria-label="How responses are shown"
        value={isRaw ? 'raw' : 'formatted'}
        onChange={(value) => onRaw(value === 'raw')}
        data={[
          { value: 'formatted', label: 'Formatted' },
          { value: 'raw', label: 'Raw text' },
        ]}
      />
      <ChatButtons chat={chat} />
    </SidePanel>
  )
}

function ChatButtons({ chat }: Pick<ChatSideProps, 'chat'>) {
  const { conversation, kept, id, models, manner, draft } = chat
  const [isCodeShown, code] = useDisclosure(false)
  const [isListShown, list] = useDisclosure(false)
  const model = models[0] ?? ''
  const said = draft.text.trim() === '' ? { ...draft, text: 'Hello!' } : draft
  return (
    <Group gap="xs" grow preventGrowOverflow={false}>
      <Button
        variant="default"
        leftSection={<IconMessagePlus size={16} aria-hidden />}
        disabled={conversation.rounds.length === 0}
        onClick={chat.startNew}
      >
        New chat
      </Button>
      <Button variant="default" leftSection={<IconHistory size={16} aria-hidden />} onClick={list.open}>
        Chats
      </Button>
      <Button variant="default" leftSection={<IconCode size={16} aria-hidden />} onClick={code.open}>
        Copy as code
      </Button>
      {isListShown && (
        <ChatsDrawer
          kept={kept}
          onOpen={(other) => {
            list.close()
            chat.open(other)
          }}
          onRemoved={(removed) => removed === id && chat.startNew()}
          onClose={list.close}
        />
      )}
      <CodeDrawer
        isOpen={isCodeShown}
        onClose={code.close}
        question={{ ...manner, model, turns: [...turnsOf(conversation.rounds, model), userTurn(said)] }}
      />
    </Group>
  )
}
