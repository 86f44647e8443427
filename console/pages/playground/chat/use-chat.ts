import { useEffect, useRef, useState } from 'react'
import { useUrlState } from '../../../app/url-state.ts'
import { showFailure } from '../../../parts/layout/notify.ts'
import type { Question } from '../../../parts/wire/question.ts'
import type { Said } from './conversation.ts'
import type { ChatContent } from './kept/stored-chat.ts'
import { useKeptChats, useSavedChat } from './kept/use-kept-chats.ts'
import { type Settings, USUAL_SETTINGS } from './settings.tsx'
import { roundsOf } from './stored/question-rounds.ts'
import { useRequestOpened } from './stored/use-request-opened.ts'
import { useAskedModels } from './use-asked-models.ts'
import { useConversation } from './use-conversation.ts'

export const NOTHING_SAID: Said = { text: '', files: [] }

export type ChatState = ReturnType<typeof useChat>

/** Everything about the chat that is shown: its models, its settings, its messages, and where it is kept. */
export function useChat(account: string) {
  const asked = useAskedModels(account)
  const [settings, setSettings] = useState<Settings>(USUAL_SETTINGS)
  const [draft, setDraft] = useState<Said>(NOTHING_SAID)
  const conversation = useConversation(account)
  const kept = useKeptChats(account)
  const [{ chat: id }, setState] = useUrlState({ chat: '', from: '' })
  const { models, format, setAsked } = asked
  const { rounds, isAsking } = conversation
  const manner = { ...settings, format }
  const show = (content: Shown) => {
    conversation.replace(content.rounds)
    setSettings({ ...USUAL_SETTINGS, ...content.settings })
    setDraft(content.draft ?? NOTHING_SAID)
    setAsked(content)
  }
  const shown = useShownChat(id, (other) => {
    conversation.replace([])
    if (other === '') return
    kept
      .find(other)
      .then((content) => (content === null ? setState({ chat: '' }) : show(content)))
      .catch(showFailure)
  })
  const opened = useRequestOpened(account, id === '', (question) => show(contentOf(question)))
  const content = { models, format, settings, rounds }
  useSavedChat(account, { ...content, isOn: kept.isOn, isAsking, id: id === '' ? null : id })

  const send = (said: Said) => {
    if ((said.text.trim() === '' && said.files.length === 0) || isAsking) return
    if (models.length === 0) return sendLater(said)
    if (id === '' && kept.isOn) setState({ chat: shown(newId()), from: '' })
    conversation.send(manner, { models }, said)
    setDraft(NOTHING_SAID)
  }
  const sendLater = useLater(models.length > 0, send)
  return {
    ...asked,
    settings,
    manner,
    draft,
    conversation,
    kept,
    id,
    opened,
    send,
    changeSettings: (change: Partial<Settings>) => setSettings((before) => ({ ...before, ...change })),
    changeDraft: (change: Partial<Said>) => setDraft((before) => ({ ...before, ...change })),
    open: (chat: string) => setState({ chat }),
    startNew: () => {
      conversation.replace([])
      shown('')
      setState({ chat: '', from: '' })
    },
  }
}

interface Shown extends Omit<ChatContent, 'settings'> {
  readonly settings: Partial<Settings>
  readonly draft?: Said
}

/** A stored request as a chat. */
function contentOf(question: Question): Shown {
  const { turns: _, model, format, ...settings } = question
  return { ...roundsOf(question), settings, models: [model], format }
}

/** Loads the chat that the address names, unless it is the one that is shown. */
function useShownChat(id: string, load: (id: string) => void): (id: string) => string {
  const shown = useRef('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: The address changes a while after the chat does.
  useEffect(() => {
    if (shown.current === id) return
    shown.current = id
    load(id)
  }, [id])
  return (other) => {
    shown.current = other
    return other
  }
}

/** Sends a message as soon as it can be: somebody who writes faster than the models load presses Enter once. */
function useLater(isReady: boolean, send: (said: Said) => void): (said: Said) => void {
  const [waiting, setWaiting] = useState<Said | null>(null)
  useEffect(() => {
    if (waiting === null || !isReady) return
    setWaiting(null)
    send(waiting)
  })
  return setWaiting
}

const ID_BYTES = 12

function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
