import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { EventKind } from '../../src/manage/ports/console.ts'
import { accountPath } from './client.ts'

/** What each kind of event invalidates: the second elements of query keys, after the account. */
const TOUCHED: Readonly<Record<EventKind, readonly string[]>> = {
  settlement: ['overview', 'usage', 'settlements', 'ledger', 'keys'],
  alert: ['alerts', 'overview'],
  change: [
    'overview',
    'keys',
    'key-names',
    'models',
    'payments',
    'ledger',
    'webhook',
    'own-suppliers',
    'members',
  ],
}
// A busy account settles many requests a second. Its pages refresh at most this often.
const REFRESH_MS = 2_000
// The stream has a beat every two seconds, so two are missing by then.
const SILENCE_MS = 4_000
const LOOK_MS = 250
const AGAIN_MS = 1_500

/** How the page is connected. */
export interface Connection {
  /** When the page last heard of the gateway, if that is too long ago. */
  readonly lostAt: Date | null
  /** Whether the gateway answers although events do not arrive. */
  readonly isAnswering: boolean
}

const CONNECTED: Connection = { lostAt: null, isAnswering: true }

/**
 * Follows the events of an account and refreshes the queries under `[account, …]`. Without an account it only asks whether
 * the gateway is there. Once the gateway is back, everything on screen is read again.
 */
export function useEvents(account: string | null, isSignedIn: boolean): Connection {
  const queryClient = useQueryClient()
  const [connection, setConnection] = useState(CONNECTED)
  useEffect(() => {
    if (!isSignedIn) return
    const refreshing = refreshLater((name) => {
      void queryClient.invalidateQueries({ queryKey: [account, name] })
    })
    let heardMs = Date.now()
    let isLost = false
    const stopFollowing = (account === null ? ask : follow)(account ?? '', {
      onHeard: (isNew) => {
        heardMs = Date.now()
        // Events of the time in between were not sent to anybody.
        if (isLost) void queryClient.invalidateQueries()
        else if (isNew) void queryClient.invalidateQueries({ queryKey: [account] })
        if (isLost) setConnection(CONNECTED)
        isLost = false
      },
      onEvent: refreshing.touch,
    })
    const watch = setInterval(() => {
      if (isLost || Date.now() - heardMs < SILENCE_MS) return
      isLost = true
      const lostAt = new Date(heardMs)
      setConnection({ lostAt, isAnswering: false })
      void isThere().then((isAnswering) => isLost && setConnection({ lostAt, isAnswering }))
    }, LOOK_MS)
    return () => {
      stopFollowing()
      clearInterval(watch)
      refreshing.stop()
      setConnection(CONNECTED)
    }
  }, [account, isSignedIn, queryClient])
  return connection
}

interface Listener {
  /** Something arrived; `isNew` on a stream that had been interrupted. */
  readonly onHeard: (isNew: boolean) => void
  readonly onEvent: (kind: EventKind) => void
}

/** Browsers give up a stream that is refused once, and do not notice one that has gone silent. */
function follow(account: string, { onHeard, onEvent }: Listener): () => void {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let silence: ReturnType<typeof setTimeout> | null = null
  let opened = 0
  const open = () => {
    timer = null
    const stream = new EventSource(accountPath(account, '/events'))
    source = stream
    const again = () => {
      stream.close()
      if (silence !== null) clearTimeout(silence)
      if (source === stream) timer ??= setTimeout(open, AGAIN_MS)
    }
    const hear = (isNew: boolean) => {
      if (silence !== null) clearTimeout(silence)
      silence = setTimeout(again, SILENCE_MS)
      onHeard(isNew)
    }
    stream.addEventListener('open', () => {
      opened += 1
      hear(opened > 1)
    })
    stream.addEventListener('error', again)
    stream.addEventListener('beat', () => hear(false))
    for (const kind of Object.keys(TOUCHED) as EventKind[]) {
      stream.addEventListener(kind, () => {
        hear(false)
        onEvent(kind)
      })
    }
  }
  open()
  return () => {
    source?.close()
    source = null
    for (const each of [timer, silence]) if (each !== null) clearTimeout(each)
  }
}

function ask(_: string, { onHeard }: Listener): () => void {
  const timer = setInterval(() => {
    void isThere().then((isAnswering) => isAnswering && onHeard(false))
  }, AGAIN_MS)
  return () => clearInterval(timer)
}

/** Whether the gateway answers at all. */
export async function isThere(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { signal: AbortSignal.timeout(SILENCE_MS) })).ok
  } catch {
    return false
  }
}

/** Collects what events touch, and refreshes it together. */
function refreshLater(refresh: (name: string) => void) {
  const touched = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | null = null
  return {
    touch: (kind: EventKind) => {
      for (const name of TOUCHED[kind]) touched.add(name)
      timer ??= setTimeout(() => {
        timer = null
        for (const name of touched) refresh(name)
        touched.clear()
      }, REFRESH_MS)
    },
    stop: () => {
      if (timer !== null) clearTimeout(timer)
    },
  }
}
