import { useNavigate, useSearch } from '@tanstack/react-router'
import { isStep } from './url-steps.ts'

export type UrlState = Readonly<Record<string, string>>

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
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...changed }), replace })
  }
  return [state, change]
}
