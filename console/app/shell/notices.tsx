import { useNotifications } from '@mantine/notifications'
import { lazy, Suspense, useEffect, useState } from 'react'

const NoticesShown = lazy(() =>
  import('./notices-shown.tsx').then((part) => ({ default: part.NoticesShown })),
)

/** What is said in passing; its code is loaded with the first thing to say. */
export function Notices() {
  const hasAny = useNotifications().notifications.length > 0
  const [isWanted, setWanted] = useState(false)
  useEffect(() => {
    if (hasAny) setWanted(true)
  }, [hasAny])
  return <Suspense>{isWanted && <NoticesShown />}</Suspense>
}
