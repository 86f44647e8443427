import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useUser } from '../../../../api/session.ts'
import { type ChatStore, openChatStore } from './chat-store.ts'
import { type ChatContent, type ChatSummary, fromStored, titleOf, toStored } from './stored-chat.ts'

const SWITCH = 'turnpike-keep-chats'

/** Opened once for all. A browser may forbid it, as some do in private windows. */
let opened: Promise<ChatStore> | null = null
const store = () => {
  opened ??= openChatStore()
  return opened
}

export interface KeptChats {
  readonly isOn: boolean
  readonly chats: readonly ChatSummary[]
  /** Why the browser cannot keep chats; null if it can. */
  readonly error: Error | null
  /** Turning it off removes all chats. */
  turn(isOn: boolean): Promise<void>
  find(id: string): Promise<ChatContent | null>
  rename(id: string, title: string): Promise<void>
  remove(id: string): Promise<void>
}

/** The chats of this user and account that this browser keeps. */
export function useKeptChats(account: string): KeptChats {
  const owner = useOwner(account)
  const queryClient = useQueryClient()
  const [isOn, setIsOn] = useState(() => localStorage.getItem(SWITCH) !== 'off')
  const queryKey = keyOf(owner)
  const list = useQuery({ queryKey, queryFn: async () => (await store()).list(owner), retry: false })
  const refresh = () => queryClient.invalidateQueries({ queryKey })
  return {
    isOn,
    chats: list.data ?? [],
    error: list.error,
    turn: async (value) => {
      localStorage.setItem(SWITCH, value ? 'on' : 'off')
      setIsOn(value)
      if (!value) await (await store()).clear(owner)
      await refresh()
    },
    find: async (id) => {
      const summary = (await (await store()).list(owner)).find((chat) => chat.id === id)
      const chat = summary === undefined ? null : await (await store()).find(id)
      return chat === null ? null : fromStored(chat)
    },
    rename: async (id, title) => {
      await (await store()).rename(id, title)
      await refresh()
    },
    remove: async (id) => {
      await (await store()).remove(id)
      await refresh()
    },
  }
}

interface Saving extends ChatContent {
  readonly isOn: boolean
  readonly isAsking: boolean
  /** Null for a chat without messages. */
  readonly id: string | null
}

/** Saves a chat when a message is sent, when its replies have ended, and when the page is left. */
export function useSavedChat(account: string, saving: Saving): void {
  const owner = useOwner(account)
  const queryClient = useQueryClient()
  const latest = useRef(saving)
  latest.current = saving
  const { isOn, isAsking, id, rounds } = saving
  const key = isAsking ? rounds.length : rounds
  // biome-ignore lint/correctness/useExhaustiveDependencies: While text streams in, only the number of messages counts.
  useEffect(() => {
    const save = () => {
      const { isOn: isKept, id: name, isAsking: _, ...content } = latest.current
      if (!isKept || name === null || content.rounds.length === 0) return
      void saveChat(owner, name, content)
        .then(() => queryClient.invalidateQueries({ queryKey: keyOf(owner) }))
        // A full disk must not end the conversation. The list of chats shows what is missing.
        .catch(() => undefined)
    }
    save()
    return () => {
      // Only when leaving: otherwise the next one saves.
      if (latest.current.isAsking) save()
    }
  }, [owner, isOn, id, key])
}

async function saveChat(owner: string, id: string, content: ChatContent): Promise<void> {
  const chats = await store()
  const known = (await chats.list(owner)).find((chat) => chat.id === id)
  const { models, rounds } = content
  const title = known?.title ?? titleOf(rounds)
  await chats.save({ id, owner, title, models, changedAtMs: Date.now() }, toStored(id, content))
}

function useOwner(account: string): string {
  return `${useUser().id}/${account}`
}

function keyOf(owner: string): readonly string[] {
  return ['kept-chats', owner]
}
