import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

export interface HintProps {
  /** The explanation, in full sentences. */
  readonly label: ReactNode
  readonly children: ReactNode
}

/** A value with a tooltip for mouse, keyboard and touch. */
export function Hint({ label, children }: HintProps) {
  return (
    <Tooltip label={label} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <button type="button" className="hint">
        {children}
      </button>
    </Tooltip>
  )
}
