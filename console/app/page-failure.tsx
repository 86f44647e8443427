import { Button, Group } from '@mantine/core'
import { IconPlugConnectedX, IconRefreshAlert } from '@tabler/icons-react'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isThere } from '../api/use-events.ts'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { explainError } from '../parts/layout/explain-error.ts'

const RELOADED_AT = 'turnpike-reloaded-at'
const RELOAD_PAUSE_MS = 60_000

/** Shown when a page fails. The frame around it keeps working. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const isMissing = isMissingPart(error)
  const isAway = useReload(isMissing)
  const isOutdated = isMissing && !isAway
  if (isAway) {
    return (
      <EmptyState icon={IconPlugConnectedX} isWholePage title="The gateway does not answer">
        This page could not be loaded. It opens by itself as soon as the gateway is back.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={IconRefreshAlert}
      isWholePage
      title={isOutdated ? 'The console was updated' : 'This page could not be shown'}
      action={
        <Group justify="center">
          <Button onClick={isOutdated ? () => location.reload() : reset}>
            {isOutdated ? 'Load the new version' : 'Try again'}
          </Button>
        </Group>
      }
    >
      {isOutdated ? 'This page is from an older version.' : explainError(error).message}
    </EmptyState>
  )
}

/** A page that could not be loaded: the gateway is away, or after its update the chunks of the old page are gone. */
export class MissingPart extends Error {
  constructor(cause: unknown) {
    super('This page could not be loaded.', { cause })
  }
}

/** Parts of pages are loaded on first use too. */
function isMissingPart(error: unknown): boolean {
  return (
    error instanceof MissingPart ||
    (error instanceof Error &&
      /dynamically imported module|Importing a module script failed|module script/i.test(error.message))
  )
}

const LOOK_MS = 2_000

/** Loads the page anew once the gateway answers: before, a reload would end on an error page. Tells whether it is away. */
function useReload(isWanted: boolean): boolean {
  const [isAway, setAway] = useState(false)
  useEffect(() => {
    if (!isWanted) return
    let hasBeenAway = false
    const look = async () => {
      const isAnswering = await isThere()
      setAway(!isAnswering)
      if (isAnswering && hasBeenAway) location.reload()
      else if (isAnswering) reloadOnce()
      hasBeenAway ||= !isAnswering
    }
    void look()
    const timer = setInterval(() => void look(), LOOK_MS)
    return () => clearInterval(timer)
  }, [isWanted])
  return isAway
}

// Reload only once, to avoid a loop.
function reloadOnce(): void {
  const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0)
  if (Date.now() - last < RELOAD_PAUSE_MS) return
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
}
