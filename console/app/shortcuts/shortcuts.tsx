import { useDisclosure } from '@mantine/hooks'
import { lazy, type ReactNode, Suspense } from 'react'
import { useShortcuts } from './use-shortcuts.ts'

const Help = lazy(() => import('./help.tsx').then((part) => ({ default: part.Help })))

/** Listens to the keyboard, and shows the list of keys. `children` may have another way to open it. */
export function Shortcuts({ children }: { readonly children: (openHelp: () => void) => ReactNode }) {
  const [isOpen, help] = useDisclosure(false)
  const shortcuts = useShortcuts(help.open)
  return (
    <>
      {children(help.open)}
      {isOpen && (
        <Suspense>
          <Help {...shortcuts} onClose={help.close} />
        </Suspense>
      )}
    </>
  )
}
