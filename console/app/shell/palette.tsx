import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'

const PaletteDialog = lazy(() =>
  import('./palette-dialog.tsx').then((part) => ({ default: part.PaletteDialog })),
)

/** Longer than a part takes to load; keys must never stay dead. */
const OPENING_MS = 3_000
const MOST_LETTERS = 200

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)

/** Opens the search for pages and things. Its code is loaded on first use. */
export function Palette() {
  const [openings, setOpenings] = useState(0)
  const early = useEarlyLetters()
  const open = () => {
    early.collect()
    setOpenings((count) => count + 1)
  }
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
          <PaletteDialog openings={openings} takeEarly={early.take} />
        </Suspense>
      )}
    </>
  )
}

/** Who presses Ctrl+K goes on typing, and the field may come later than the first letters. */
function useEarlyLetters() {
  const opening = useRef<{ letters: string; readonly untilMs: number } | null>(null)
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const { current } = opening
      if (current === null || event.ctrlKey || event.metaKey || event.altKey) return
      const isThere =
        event.target instanceof Element && event.target.closest('.mantine-Spotlight-root') !== null
      if (isThere || event.key === 'Tab' || event.timeStamp > current.untilMs) {
        opening.current = null
        return
      }
      if (event.key === 'Backspace') current.letters = current.letters.slice(0, -1)
      else if (event.key.length === 1) current.letters = (current.letters + event.key).slice(0, MOST_LETTERS)
      // Enter would press the button of the page that has the focus.
      else if (event.key !== 'Enter') return
      event.preventDefault()
      event.stopPropagation()
    }
    document.addEventListener('keydown', hear, { capture: true })
    return () => document.removeEventListener('keydown', hear, { capture: true })
  }, [])
  return {
    /** Keeps what is typed until the field is there, instead of letting the page have it. */
    collect: () => {
      opening.current = { letters: '', untilMs: performance.now() + OPENING_MS }
    },
    take: () => {
      const letters = opening.current?.letters ?? ''
      opening.current = null
      return letters
    },
  }
}
