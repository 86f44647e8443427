import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

export interface HintProps {
  /** The explanation, in whole sentences. */
  readonly label: ReactNode
  readonly children: ReactNode
}

/** A figure or word that explains itself to the mouse, to the keyboard and to a finger. */
export function Hint({ label, children }: HintProps) {
  return (
    <Tooltip label={label} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <button type="button" className="hint">
        {children}
      </button>
    </Tooltip>
  )
}
