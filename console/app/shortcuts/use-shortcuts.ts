import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useUser } from '../../api/session.ts'
import { useRights } from '../account.ts'
import { navigationFor } from '../shell/navigation.ts'
import { meaningOf } from './shortcut-list.ts'

const SWITCH = 'turnpike-shortcuts'
const PREFIX_MS = 1_500
const TYPED_IN =
  'input, textarea, select, [contenteditable], [role="combobox"], [role="menu"], [role="dialog"]'

export interface Shortcuts {
  readonly isOn: boolean
  /** Speech input and some assistive technology press keys by accident, so they can be turned off. */
  turn(isOn: boolean): void
}

/** Keys that work everywhere except where text is typed, and in dialogs. */
export function useShortcuts(onHelp: () => void): Shortcuts {
  const [isOn, setIsOn] = useState(() => localStorage.getItem(SWITCH) !== 'off')
  const prefixAtMs = useRef(Number.NEGATIVE_INFINITY)
  const navigate = useNavigate()
  const { is_operator: isOperator } = useUser()
  const groups = navigationFor(isOperator, useRights())
  const open = (path: string) => {
    const entry = groups.flatMap(({ entries }) => entries).find(([to]) => to === path)
    if (entry !== undefined) void navigate({ to: entry[0] })
  }
  useEffect(() => {
    if (!isOn) return
    const hear = (event: KeyboardEvent) => {
      if (isElsewhere(event)) return
      const pressed = meaningOf(event.key, event.timeStamp - prefixAtMs.current < PREFIX_MS)
      prefixAtMs.current = pressed?.type === 'prefix' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (pressed === null || pressed.type === 'prefix') return
      event.preventDefault()
      if (pressed.type === 'help') onHelp()
      else if (pressed.type === 'search') focusSearch()
      else open(pressed.to)
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  })
  return {
    isOn,
    turn: (value) => {
      localStorage.setItem(SWITCH, value ? 'on' : 'off')
      setIsOn(value)
    },
  }
}

function isElsewhere({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented) return true
  return (target instanceof Element && target.closest(TYPED_IN) !== null) || isDialogOpen()
}

function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]') !== null
}

/** The first search field of the page. */
function focusSearch(): void {
  document.querySelector<HTMLElement>('main input[type="search"], main [data-search]')?.focus()
}
