import { Button, Collapse, Group, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconAdjustments,
  IconCode,
  IconMessage2Code,
  IconPlayerStop,
  IconSend2,
  IconTrash,
} from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useModels } from '../../api/models.ts'
import { useUrlState } from '../../app/url-state.ts'
import { EmptyState } from '../../parts/layout/empty-state.tsx'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { pickModel } from '../../parts/text/pick-model.ts'
import { CHAT_FORMATS, type ChatFormat } from '../../parts/wire/write-request.ts'
import { CodeDrawer, WireDrawer } from './code-drawer.tsx'
import { ExchangeView } from './exchange-view.tsx'
import { ModelChoice } from './model-choice.tsx'
import { type Settings, SettingsForm, USUAL_SETTINGS } from './settings.tsx'
import { turnsOf, useConversation } from './use-conversation.ts'

export function Chat({ account }: { readonly account: string }) {
  const models = useModels(account)
  const talkers = models.data?.data.filter(({ kinds }) => kinds.includes('text')) ?? []
  const [state, setState] = useUrlState({ model: '', format: 'chat-completion' })
  const picked = pickModel(talkers, null).model
  const model = talkers.some(({ id }) => id === state.model)
    ? state.model
    : picked === '<model>'
      ? ''
      : picked
  const format = CHAT_FORMATS.find((known) => known === state.format) ?? 'chat-completion'
  const [settings, setSettings] = useState<Settings>(USUAL_SETTINGS)
  const [draft, setDraft] = useState('')
  const [inspected, setInspected] = useState<number | null>(null)
  const [isCodeShown, code] = useDisclosure(false)
  const conversation = useConversation(account)
  const { exchanges } = conversation
  const question = { ...settings, model, format }
  const send = (said: string) => {
    if (said.trim() === '' || conversation.isAsking) return
    if (model === '') return sendLater(said)
    conversation.send(question, said)
    setDraft('')
  }
  const sendLater = useLater(model !== '', send)
  return (
    <div className="playground">
      <Panel>
        <ErrorNotice error={models.error} onRetry={() => void models.refetch()} />
        <Talk isEmpty={exchanges.length === 0} length={exchanges.at(-1)?.answer.text.length ?? 0}>
          {exchanges.length === 0 && <Start onChoose={send} />}
          {exchanges.map((exchange) => (
            <ExchangeView
              key={exchange.id}
              account={account}
              exchange={exchange}
              onInspect={() => setInspected(exchange.id)}
            />
          ))}
        </Talk>
        <Composer
          draft={draft}
          onDraft={setDraft}
          onSend={() => send(draft)}
          onStop={conversation.stop}
          isAsking={conversation.isAsking}
          isReady={model !== ''}
        />
      </Panel>
      <SidePanel>
        <ModelChoice models={talkers} model={model} onChange={(value) => setState({ model: value })} />
        <Foldable>
          <SettingsForm
            format={format}
            onFormat={(value: ChatFormat) => setState({ format: value })}
            settings={settings}
            onChange={(change) => setSettings({ ...settings, ...change })}
          />
        </Foldable>
        <Group gap="xs" grow preventGrowOverflow={false}>
          <Button variant="default" leftSection={<IconCode size={16} aria-hidden />} onClick={code.open}>
            Copy as code
          </Button>
          <Button
            variant="default"
            leftSection={<IconTrash size={16} aria-hidden />}
            disabled={exchanges.length === 0}
            onClick={conversation.clear}
          >
            New chat
          </Button>
        </Group>
      </SidePanel>
      <WireDrawer
        exchange={exchanges.find(({ id }) => id === inspected) ?? null}
        onClose={() => setInspected(null)}
      />
      <CodeDrawer
        isOpen={isCodeShown}
        onClose={code.close}
        question={{
          ...question,
          turns: [...turnsOf(exchanges), { role: 'user', text: draft.trim() === '' ? 'Hello!' : draft }],
        }}
      />
    </div>
  )
}

interface TalkProps {
  readonly isEmpty: boolean
  /** Changes whenever new text arrives. */
  readonly length: number
  readonly children: React.ReactNode
}

const NEAR_END_PIXELS = 120

/** Scrolls to the newest text, unless the reader has scrolled back. */
function Talk({ isEmpty, length, children }: TalkProps) {
  const box = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    const element = box.current
    if (length >= 0 && element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [length])
  return (
    <section
      ref={box}
      className="playground-talk"
      data-empty={isEmpty || undefined}
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: Scrollable content must be reachable by keyboard.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PIXELS
      }}
    >
      {children}
    </section>
  )
}

export function SidePanel({ children }: { readonly children: React.ReactNode }) {
  return (
    <div className="playground-side">
      <Panel>
        <Stack gap="sm">{children}</Stack>
      </Panel>
    </div>
  )
}

/** Always open on wide screens; a button opens it on a phone. */
function Foldable({ children }: { readonly children: React.ReactNode }) {
  const [isOpen, { toggle }] = useDisclosure(false)
  return (
    <>
      <Button
        hiddenFrom="md"
        variant="default"
        onClick={toggle}
        aria-expanded={isOpen}
        leftSection={<IconAdjustments size={16} aria-hidden />}
      >
        Settings
      </Button>
      <div className="mantine-visible-from-md">{children}</div>
      <Collapse expanded={isOpen} hiddenFrom="md">
        {isOpen && children}
      </Collapse>
    </>
  )
}

interface ComposerProps {
  readonly draft: string
  readonly onDraft: (draft: string) => void
  readonly onSend: () => void
  readonly onStop: () => void
  readonly isAsking: boolean
  /** Whether a model is available. */
  readonly isReady: boolean
}

function Composer({ draft, onDraft, onSend, onStop, isAsking, isReady }: ComposerProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      <Textarea
        aria-label="Message"
        placeholder="Ask something"
        autosize
        minRows={2}
        maxRows={10}
        value={draft}
        onChange={(event) => onDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          onSend()
        }}
      />
      <Group justify="space-between" mt="xs">
        <Text size="xs" c="dimmed" visibleFrom="sm">
          Enter to send, Shift+Enter for a new line
        </Text>
        {isAsking ? (
          <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button
            type="submit"
            leftSection={<IconSend2 size={16} aria-hidden />}
            disabled={!isReady || draft.trim() === ''}
          >
            Send
          </Button>
        )}
      </Group>
    </form>
  )
}

const EXAMPLES = [
  'Explain what a model gateway does, in two sentences.',
  'Write a haiku about latency.',
  'List five edge cases for parsing CSV.',
]

function Start({ onChoose }: { readonly onChoose: (said: string) => void }) {
  return (
    <EmptyState
      icon={IconMessage2Code}
      title="Ask a model something"
      action={
        <Group justify="center" gap="xs" mt="xs">
          {EXAMPLES.map((example) => (
            <Button
              key={example}
              variant="default"
              size="xs"
              fw={450}
              className="start-example"
              onClick={() => onChoose(example)}
            >
              {example}
            </Button>
          ))}
        </Group>
      }
    >
      See the response as it streams, its cost, the supplier that served it, and the raw exchange.
    </EmptyState>
  )
}

/** Sends a message as soon as it can be: somebody who writes faster than the models load presses Enter once. */
function useLater(isReady: boolean, send: (said: string) => void): (said: string) => void {
  const [waiting, setWaiting] = useState<string | null>(null)
  useEffect(() => {
    if (waiting === null || !isReady) return
    setWaiting(null)
    send(waiting)
  })
  return setWaiting
}
