import type { ReactNode } from 'react'
import { ConfirmAction } from '../../../parts/forms/confirm-action.tsx'

export interface DropActionProps {
  /** How many rounds follow and would be lost. */
  readonly following: number
  /** "Regenerate". */
  readonly verb: string
  readonly onConfirm: () => void
  /** A button, usually. */
  readonly children: (act: () => void) => ReactNode
}

/** Changes an earlier turn. Asks first if later ones are lost. */
export function DropAction({ following, verb, onConfirm, children }: DropActionProps) {
  if (following === 0) return children(onConfirm)
  return (
    <ConfirmAction
      title={`${verb} and drop what follows?`}
      confirmLabel={verb}
      onConfirm={async () => onConfirm()}
      trigger={children}
    >
      {following === 1 ? 'The message after this one' : `The ${following} messages after this one`} and the
      replies to {following === 1 ? 'it' : 'them'} are removed from this chat.
    </ConfirmAction>
  )
}
