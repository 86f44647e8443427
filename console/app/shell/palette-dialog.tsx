import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useUser } from '../../api/session.ts'
import { useRights } from '../account.ts'
import { usePaletteActions, usePaletteHits } from '../palette-finds.tsx'
import { navigationFor } from './navigation.ts'

const [store, palette] = createSpotlight()

interface PaletteDialogProps {
  /** Opens again each time this changes. Closes by itself. */
  readonly openings: number
  /** What was typed before the field was there. */
  takeEarly(): string
}

export function PaletteDialog({ openings, takeEarly }: PaletteDialogProps) {
  const [query, setQuery] = useState('')
  const [early, setEarly] = useState('')
  useEffect(() => {
    if (openings > 0) palette.open()
  }, [openings])
  const { is_operator: isOperator } = useUser()
  const navigate = useNavigate()
  const found = usePaletteHits(query, isOperator)
  const doable = usePaletteActions(isOperator)
  useFirstSelected(found.groups.length > 0 ? found.hits : undefined, early)
  const groups = navigationFor(isOperator, useRights())
  const pages: SpotlightActionGroupData[] = groups.map((group) => ({
    group: group.label ?? 'Pages',
    actions: group.entries.map(([to, label, Glyph, keywords]) => ({
      id: to,
      label,
      keywords,
      leftSection: <Glyph size={18} stroke={1.7} aria-hidden />,
      onClick: () => void navigate({ to }),
    })),
  }))
  const label = isOperator
    ? 'Go to a page, account, key, model, supplier or request'
    : 'Go to a page, key, model or request'
  return (
    <Spotlight
      store={store}
      actions={[...found.groups, ...pages, doable]}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      highlightQuery
      overlayProps={{ blur: 2 }}
      attributes={{ content: { 'aria-label': label } }}
      scrollable
      maxHeight={420}
      nothingFound={found.isSearching ? 'Searching…' : 'Nothing found.'}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: label,
        'aria-label': label,
        autoFocus: true,
        onFocus: () => {
          const letters = takeEarly()
          setEarly(letters)
          if (letters !== '') setQuery(letters)
        },
      }}
    />
  )
}

/** What arrives after the last letter stands first, so Enter goes there. Spotlight itself selects only while one types in its field. */
function useFirstSelected(hits: unknown, early: string): void {
  useEffect(() => {
    if (hits === undefined && early === '') return
    const list = document.querySelector('.mantine-Spotlight-actionsList')
    list?.querySelector('[data-selected]')?.removeAttribute('data-selected')
    list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
    store.updateState((state) => ({ ...state, selected: 0 }))
  }, [hits, early])
}
