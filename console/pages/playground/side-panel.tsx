import { Button, Collapse, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAdjustments } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Panel } from '../../parts/layout/panel.tsx'

/** The column with the model and its settings. */
export function SidePanel({ children }: { readonly children: ReactNode }) {
  return (
    <div className="playground-side">
      <Panel>
        <Stack gap="sm">{children}</Stack>
      </Panel>
    </div>
  )
}

export interface FoldableProps {
  /** Folded on every screen, not only on a phone. */
  readonly isAlways: boolean
  readonly children: ReactNode
}

/** Open on wide screens; a button opens it elsewhere. */
export function Foldable({ isAlways, children }: FoldableProps) {
  const [isOpen, { toggle }] = useDisclosure(false)
  const onlyNarrow = isAlways ? {} : { hiddenFrom: 'md' }
  return (
    <>
      <Button
        {...onlyNarrow}
        variant="default"
        onClick={toggle}
        aria-expanded={isOpen}
        leftSection={<IconAdjustments size={16} aria-hidden />}
      >
        Settings
      </Button>
      {!isAlways && <div className="mantine-visible-from-md">{children}</div>}
      <Collapse expanded={isOpen} {...onlyNarrow}>
        {isOpen && children}
      </Collapse>
    </>
  )
}
