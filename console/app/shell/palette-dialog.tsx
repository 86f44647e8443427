import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useUser } from '../../api/session.ts'
import { useRights } from '../account.ts'
import { navigationFor } from './navigation.ts'

interface PaletteDialogProps {
  /** Opens again each time this changes. Closes by itself. */
  readonly openings: number
}

export function PaletteDialog({ openings }: PaletteDialogProps) {
  useEffect(() => {
    if (openings > 0) spotlight.open()
  }, [openings])
  const { is_operator: isOperator } = useUser()
  const navigate = useNavigate()
  const groups = navigationFor(isOperator, useRights())
  const actions: SpotlightActionGroupData[] = groups.map((group) => ({
    group: group.label ?? 'Pages',
    actions: group.entries.map(([to, label, Glyph, keywords]) => ({
      id: to,
      label,
      keywords,
      leftSection: <Glyph size={18} stroke={1.7} aria-hidden />,
      onClick: () => void navigate({ to }),
    })),
  }))
  return (
    <Spotlight
      actions={actions}
      shortcut={null}
      highlightQuery
      overlayProps={{ blur: 2 }}
      attributes={{ content: { 'aria-label': 'Go to a page' } }}
      scrollable
      maxHeight={420}
      nothingFound="No pages found."
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: 'Go to a page',
        'aria-label': 'Go to a page',
      }}
    />
  )
}
