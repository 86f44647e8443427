import { Button, Group } from '@mantine/core'
import { IconRefreshAlert } from '@tabler/icons-react'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { explainError } from '../parts/layout/explain-error.ts'

const RELOADED_AT = 'turnpike-reloaded-at'
const RELOAD_PAUSE_MS = 60_000

/** Shown when a page fails. The frame around it keeps working. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const isOutdated = isMissingPart(error)
  useEffect(() => {
    if (isOutdated) reloadOnce()
  }, [isOutdated])
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

/** After an update of the gateway, the chunks of the old page are gone. */
function isMissingPart(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|Importing a module script failed|module script/i.test(error.message)
  )
}

// Reload only once, to avoid a loop.
function reloadOnce(): void {
  const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0)
  if (Date.now() - last < RELOAD_PAUSE_MS) return
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
}
