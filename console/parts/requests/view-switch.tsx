import { SegmentedControl } from '@mantine/core'
import { changeView, type FiltersProps, VIEWS, type View, viewOf } from './request-filters.ts'

/** Between requests, refused ones and sessions. */
export function ViewSwitch({ filters, onChange }: FiltersProps) {
  return (
    <SegmentedControl
      aria-label="View"
      value={viewOf(filters)}
      onChange={(view) => onChange(changeView(filters, view as View))}
      data={[...VIEWS]}
    />
  )
}
