import { UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'

export interface Sorting {
  /** The field that the list is ordered by; with a minus, in descending order; empty for the usual order. */
  readonly sort: string
  readonly onSort: (sort: string) => void
}

export interface SortHeadProps extends Sorting {
  readonly head: string
  /** The name of the field in the API. */
  readonly field: string
  /** Numbers and times are of most interest where they are largest. */
  readonly startsDescending: boolean
}

/** What a header cell tells about the order. */
export function ariaSort(sort: string, field: string): 'ascending' | 'descending' | 'none' {
  if (sort === field) return 'ascending'
  return sort === `-${field}` ? 'descending' : 'none'
}

/** The head of a column that can order the list: one way, the other way, and as usual again. */
export function SortHead({ head, field, sort, startsDescending, onSort }: SortHeadProps) {
  const present = ariaSort(sort, field)
  const Icon = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort }[present]
  return (
    <UnstyledButton
      className="sort-head"
      data-sorted={present === 'none' ? undefined : present}
      onClick={() => onSort(nextSort(sort, field, startsDescending))}
    >
      {head}
      <Icon size={14} aria-hidden />
    </UnstyledButton>
  )
}

export function nextSort(sort: string, field: string, startsDescending: boolean): string {
  const order = startsDescending ? [`-${field}`, field] : [field, `-${field}`]
  const place = order.indexOf(sort)
  return order[place + 1] ?? ''
}
