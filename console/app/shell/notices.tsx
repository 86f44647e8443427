import { useNotifications } from '@mantine/notifications'
import { lazy, Suspense, useEffect, useState } from 'react'

const NoticesShown = lazy(() =>
  import('./notices-shown.tsx').then((part) => ({ default: part.NoticesShown })),
)

/** Toast notifications. Their code is loaded with the first one. */
export function Notices() {
  const hasAny = useNotifications().notifications.length > 0
  const [isWanted, setWanted] = useState(false)
  useEffect(() => {
    if (hasAny) setWanted(true)
  }, [hasAny])
  return <Suspense>{isWanted && <NoticesShown />}</Suspense>
}
