import { Anchor, Button, Drawer, Group, Menu, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconJson, IconMarkdown, IconMessages, IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { ActionMenu } from '../../../../parts/forms/action-menu.tsx'
import { ConfirmAction } from '../../../../parts/forms/confirm-action.tsx'
import { EmptyState } from '../../../../parts/layout/empty-state.tsx'
import { ErrorNotice } from '../../../../parts/layout/error-notice.tsx'
import { showFailure } from '../../../../parts/layout/notify.ts'
import { TimeStamp } from '../../../../parts/text/time-stamp.tsx'
import { download, exportJson, exportMarkdown } from './export-chat.ts'
import type { ChatSummary } from './stored-chat.ts'
import type { KeptChats } from './use-kept-chats.ts'

export interface ChatsDrawerProps {
  readonly kept: KeptChats
  readonly onOpen: (id: string) => void
  /** The chat that is shown was removed. */
  readonly onRemoved: (id: string) => void
  readonly onClose: () => void
}

/** The chats that this browser keeps. */
export function ChatsDrawer({ kept, onOpen, onRemoved, onClose }: ChatsDrawerProps) {
  return (
    <Drawer opened onClose={onClose} title="Chats" size="md">
      <Stack>
        <KeepSwitch kept={kept} />
        <ErrorNotice error={kept.error} />
        {kept.isOn && kept.chats.length === 0 && (
          <EmptyState icon={IconMessages} title="No chats yet">
            Chats appear here once you send a message.
          </EmptyState>
        )}
        <ul className="kept-chats" aria-label="Chats">
          {kept.chats.map((chat) => (
            <li key={chat.id} className="kept-chat">
              <ChatRow chat={chat} kept={kept} onOpen={() => onOpen(chat.id)} onRemoved={onRemoved} />
            </li>
          ))}
        </ul>
      </Stack>
    </Drawer>
  )
}

function KeepSwitch({ kept }: Pick<ChatsDrawerProps, 'kept'>) {
  return (
    <ConfirmAction
      title="Stop keeping chats?"
      confirmLabel="Remove all chats"
      onConfirm={() => kept.turn(false)}
      trigger={(ask) => (
        <Switch
          label="Keep chats in this browser"
          description="They are stored only here, not at the gateway, and never with a key. Whoever uses this browser can read them."
          checked={kept.isOn}
          onChange={() => {
            if (!kept.isOn) return void kept.turn(true).catch(showFailure)
            if (kept.chats.length === 0) return void kept.turn(false).catch(showFailure)
            ask()
          }}
        />
      )}
    >
      {kept.chats.length === 1 ? 'The kept chat is' : `All ${kept.chats.length} kept chats are`} removed from
      this browser. This cannot be undone.
    </ConfirmAction>
  )
}

interface ChatRowProps extends Pick<ChatsDrawerProps, 'kept' | 'onRemoved'> {
  readonly chat: ChatSummary
  readonly onOpen: () => void
}

function ChatRow({ chat, kept, onOpen, onRemoved }: ChatRowProps) {
  const [isRenamed, setIsRenamed] = useState(false)
  if (isRenamed) {
    return (
      <RenameForm
        title={chat.title}
        onSave={async (title) => {
          await kept.rename(chat.id, title)
          setIsRenamed(false)
        }}
        onCancel={() => setIsRenamed(false)}
      />
    )
  }
  return (
    <Group wrap="nowrap" gap="xs" justify="space-between">
      <div className="kept-chat-words">
        <Anchor
          component="button"
          type="button"
          className="kept-chat-title"
          onClick={onOpen}
          title={chat.title}
        >
          {chat.title}
        </Anchor>
        <Text size="xs" c="dimmed" truncate>
          {chat.models.join(', ')} · <TimeStamp at={new Date(chat.changedAtMs).toISOString()} as="relative" />
        </Text>
      </div>
      <ChatMenu chat={chat} kept={kept} onRename={() => setIsRenamed(true)} onRemoved={onRemoved} />
    </Group>
  )
}

interface ChatMenuProps extends Pick<ChatRowProps, 'chat' | 'kept' | 'onRemoved'> {
  readonly onRename: () => void
}

function ChatMenu({ chat: { id, title }, kept, onRename, onRemoved }: ChatMenuProps) {
  const withContent = (write: typeof exportMarkdown) => () =>
    void kept
      .find(id)
      .then((content) => content !== null && download(write(title, content)))
      .catch(showFailure)
  return (
    <ConfirmAction
      title="Delete this chat?"
      confirmLabel="Delete"
      onConfirm={() => kept.remove(id)}
      onDone={() => onRemoved(id)}
      trigger={(ask) => (
        <ActionMenu name={title}>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={onRename}>
            Rename
          </Menu.Item>
          <Menu.Item
            leftSection={<IconMarkdown size={16} aria-hidden />}
            onClick={withContent(exportMarkdown)}
          >
            Export as Markdown
          </Menu.Item>
          <Menu.Item
            leftSection={<IconJson size={16} aria-hidden />}
            onClick={withContent((name, content) => exportJson(name, id, content))}
          >
            Export as JSON
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={ask}>
            Delete
          </Menu.Item>
        </ActionMenu>
      )}
    >
      It is removed from this browser. This cannot be undone.
    </ConfirmAction>
  )
}

interface RenameFormProps {
  readonly title: string
  readonly onSave: (title: string) => Promise<void>
  readonly onCancel: () => void
}

const TITLE_LENGTH = 120

function RenameForm({ title, onSave, onCancel }: RenameFormProps) {
  const [text, setText] = useState(title)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') void onSave(text.trim()).catch(showFailure)
      }}
    >
      <Group gap="xs" wrap="nowrap">
        <TextInput
          className="kept-chat-words"
          aria-label="Title"
          autoFocus
          maxLength={TITLE_LENGTH}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            // Only the form closes, not the drawer.
            event.stopPropagation()
            onCancel()
          }}
        />
        <Button type="submit" disabled={text.trim() === ''}>
          Save
        </Button>
      </Group>
    </form>
  )
}
