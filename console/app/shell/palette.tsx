import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'

const PaletteDialog = lazy(() =>
  import('./palette-dialog.tsx').then((part) => ({ default: part.PaletteDialog })),
)

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)

/** Opens the search for pages and things. Its code is loaded on first use. */
export function Palette() {
  const [openings, setOpenings] = useState(0)
  const open = () => setOpenings((count) => count + 1)
  useHotkeys([['mod+K', open]], [])
  return (
    <>
      <Button
        variant="default"
        size="compact-md"
        fz="sm"
        visibleFrom="md"
        className="palette-button"
        leftSection={<IconSearch size={15} aria-hidden />}
        rightSection={<Kbd size="xs">{isMac ? '⌘' : 'Ctrl'} K</Kbd>}
        onClick={open}
      >
        Go to…
      </Button>
      <ActionIcon size="lg" hiddenFrom="md" aria-label="Go to a page" onClick={open}>
        <IconSearch size={18} stroke={1.7} />
      </ActionIcon>
      {openings > 0 && (
        <Suspense>
          <PaletteDialog openings={openings} />
        </Suspense>
      )}
    </>
  )
}
