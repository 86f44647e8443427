import { Table, type TableProps } from '@mantine/core'
import type { ReactNode } from 'react'

export interface ScrollTableProps extends TableProps {
  /** Accessible name. */
  readonly label: string
  readonly isBusy?: boolean
  /** The column headers: text, or whole cells. */
  readonly heads: readonly (string | ReactNode)[]
  readonly children: ReactNode
}

/** A table that scrolls sideways if it is wider than the screen. */
export function ScrollTable({ label, isBusy, heads, children, ...table }: ScrollTableProps) {
  return (
    <section
      className="table-scroll"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: Scrollable content must be reachable by keyboard.
      tabIndex={0}
      aria-label={label}
      aria-busy={isBusy}
    >
      <Table {...table}>
        <Table.Thead>
          <Table.Tr>{heads.map((head) => (typeof head === 'string' ? columnHead(head) : head))}</Table.Tr>
        </Table.Thead>
        {children}
      </Table>
    </section>
  )
}

function columnHead(head: string) {
  return (
    <Table.Th key={head} scope="col">
      {head}
    </Table.Th>
  )
}
