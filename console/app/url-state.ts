import { useNavigate, useSearch } from '@tanstack/react-router'

export type UrlState = Readonly<Record<string, string>>

/** Values that open or turn something: the back button undoes these, and skips filters. */
const STEPS = new Set(['do', 'create', 'edit', 'open', 'add', 'route', 'compare', 'tab', 'mode', 'task'])
/** Of these, the default is a place like any other. */
const TURNS = new Set(['tab', 'mode', 'task'])

/**
 * Stores filters, tabs and the like in the address, so that every view has a link. `defaults` lists all values; the
 * address omits those that equal their default.
 */
export function useUrlState<T extends UrlState>(defaults: T): [T, (change: Partial<T>) => void] {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false })
  const navigate = useNavigate()
  const state = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, search[name] ?? value]),
  ) as T
  const change = (values: Partial<T>) => {
    const changed = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, value === defaults[name] ? undefined : value]),
    )
    const replace = !isStep(changed, search)
    void navigate({ to: '.', search: (before) => ({ ...before, ...changed }), replace })
  }
  return [state, change]
}

type Values = Readonly<Record<string, string | undefined>>

/** Whether the back button should undo a change. It does not open again what was closed. */
export function isStep(changed: Values, before: Values): boolean {
  return Object.entries(changed).some(
    ([name, value]) => STEPS.has(name) && value !== before[name] && (value !== undefined || TURNS.has(name)),
  )
}
