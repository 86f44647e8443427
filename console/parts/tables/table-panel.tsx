import { Button, Center, Skeleton, Table, Text } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useDeferredValue } from 'react'
import type { List } from '../../api/use-list.ts'
import { EmptyState, type EmptyStateProps } from '../layout/empty-state.tsx'
import { ErrorNotice } from '../layout/error-notice.tsx'
import { Panel, type PanelProps } from '../layout/panel.tsx'
import { CutContent } from './cut-text.tsx'
import { ScrollTable } from './scroll-table.tsx'
import { ariaSort, SortHead, type Sorting } from './sort-head.tsx'

export interface Column<T> {
  readonly head: string
  readonly cell: (row: T) => ReactNode
  /** Aligned to the right. */
  readonly isNumeric?: boolean
  /** Hidden on screens narrower than this. */
  readonly from?: 'sm' | 'md' | 'lg'
  /** The field of the API that the column can order the list by. */
  readonly sort?: string
  /** Only screen readers get the header, as for a column of buttons. */
  readonly isHeadHidden?: boolean
}

export interface RowLink {
  readonly to: NonNullable<LinkProps['to']>
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string>>
}

export interface TableProps<T> extends Omit<PanelProps, 'isFlush' | 'facts' | 'children'> {
  /** Accessible name; defaults to the title. */
  readonly label?: string
  readonly list: List<T>
  readonly columns: readonly Column<T>[]
  readonly rowKey?: (row: T) => string
  /** Makes the first cell of each row a link, and the row clickable. */
  readonly rowLink?: (row: T) => RowLink
  /** Instead of a link: what a click or Enter on the first cell does. */
  readonly onOpen?: (row: T) => void
  /** Shown if there are no rows. */
  readonly empty: EmptyStateProps | null
  /** Above the table. */
  readonly filters?: ReactNode
  /** What the list is ordered by, for columns with `sort`; usually stored in the address. */
  readonly sorting?: Sorting
}

/** Rows without an id need a `rowKey`. */
export type TablePanelProps<T> = TableProps<T> & (T extends { readonly id: string } ? unknown : Keyed<T>)

type Keyed<T> = Required<Pick<TableProps<T>, 'rowKey'>>

const FIRST_ROWS = 12
const WAITING_ROWS = ['a', 'b', 'c', 'd', 'e'] as const

/** A table with cursor paging, and with loading, error and empty states. */
export function TablePanel<T>(props: TablePanelProps<T>) {
  return <KeyedTablePanel rowKey={idOf} {...props} />
}

/** The same for generic rows. */
export function KeyedTablePanel<T>(props: TableProps<T> & Keyed<T>) {
  const { title, description, actions, label = title ?? '', list, empty, filters } = props
  const hasFailed = list.error !== null && list.rows.length === 0
  const isEmpty = !list.isPending && list.rows.length === 0
  return (
    <Panel title={title} description={description} actions={actions} isFlush>
      {filters}
      {hasFailed && <Failure list={list} />}
      {!hasFailed && isEmpty && empty !== null && <EmptyState {...empty} />}
      {!hasFailed && !isEmpty && <Rows {...props} label={label} />}
    </Panel>
  )
}

function Rows<T>(props: TableProps<T> & Keyed<T>) {
  const { label, list, columns, sorting } = props
  return (
    <>
      <ScrollTable
        label={label ?? ''}
        isBusy={list.isPending || list.isOutdated}
        heads={columns.map((column) => <ColumnHead key={column.head} column={column} sorting={sorting} />)}
        highlightOnHover
        className="data-table"
        data-outdated={list.isOutdated || undefined}
      >
        <Table.Tbody>
          {list.isPending ? <WaitingRows columns={columns} /> : <FilledRows {...props} />}
        </Table.Tbody>
      </ScrollTable>
      <Foot list={list} />
    </>
  )
}

interface ColumnHeadProps<T> {
  readonly column: Column<T>
  readonly sorting: Sorting | undefined
}

function ColumnHead<T>({ column, sorting }: ColumnHeadProps<T>) {
  const { head, sort: field, isHeadHidden, isNumeric = false } = column
  if (field === undefined || sorting === undefined) {
    return (
      <Table.Th className={cellClass(column)} scope="col">
        {isHeadHidden ? <span className="sr-only">{head}</span> : head}
      </Table.Th>
    )
  }
  return (
    <Table.Th className={cellClass(column)} scope="col" aria-sort={ariaSort(sorting.sort, field)}>
      <SortHead head={head} field={field} startsDescending={isNumeric} {...sorting} />
    </Table.Th>
  )
}

function idOf(row: unknown): string {
  return (row as { readonly id: string }).id
}

function FilledRows<T>({ list, columns, rowKey, rowLink, onOpen }: TableProps<T> & Keyed<T>) {
  // A browser takes long to draw a whole page of rows: those in sight come first, the others right after.
  const isInSight = useDeferredValue(true, false)
  const rows = isInSight ? list.rows : list.rows.slice(0, FIRST_ROWS)
  return rows.map((row) => (
    <Table.Tr key={rowKey(row)} data-opens={rowLink !== undefined || onOpen !== undefined || undefined}>
      {columns.map((column, index) => (
        <Table.Td key={column.head} className={cellClass(column)}>
          {index === 0 ? (
            <Opener row={row} cell={contentOf(column, row)} rowLink={rowLink} onOpen={onOpen} />
          ) : (
            contentOf(column, row)
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  ))
}

function contentOf<T>({ cell, isNumeric = false }: Column<T>, row: T): ReactNode {
  return isNumeric ? cell(row) : <CutContent>{cell(row)}</CutContent>
}

interface OpenerProps<T> {
  readonly row: T
  readonly cell: ReactNode
  readonly rowLink: ((row: T) => RowLink) | undefined
  readonly onOpen: ((row: T) => void) | undefined
}

/** One link or button per row, stretched over it: the mouse can click anywhere, and the keyboard stops once. */
function Opener<T>({ row, cell, rowLink, onOpen }: OpenerProps<T>) {
  if (rowLink !== undefined) {
    const { to, params, search } = rowLink(row)
    return (
      <Link
        to={to}
        {...(params !== undefined && { params })}
        {...(search !== undefined && { search })}
        className="row-opener"
      >
        {cell}
      </Link>
    )
  }
  if (onOpen === undefined) return cell
  return (
    <button type="button" className="row-opener" onClick={() => onOpen(row)}>
      {cell}
    </button>
  )
}

function WaitingRows<T>({ columns }: Pick<TableProps<T>, 'columns'>) {
  return WAITING_ROWS.map((name) => (
    <Table.Tr key={name}>
      {columns.map((column) => (
        <Table.Td key={column.head} className={cellClass(column)}>
          <Skeleton height={14} width="70%" />
        </Table.Td>
      ))}
    </Table.Tr>
  ))
}

function Foot<T>({ list }: Pick<TableProps<T>, 'list'>) {
  if (list.error !== null) return <Failure list={list} />
  if (!list.hasMore) return null
  return (
    <Center p="sm">
      <Button variant="default" size="sm" loading={list.isLoadingMore} onClick={list.loadMore}>
        Show more
      </Button>
      <Text className="sr-only" aria-live="polite">
        {list.rows.length} rows
      </Text>
    </Center>
  )
}

function Failure<T>({ list }: Pick<TableProps<T>, 'list'>) {
  return (
    <div className="table-notice">
      <ErrorNotice error={list.error} onRetry={list.retry} />
    </div>
  )
}

function cellClass<T>({ isNumeric, from }: Column<T>): string {
  return [isNumeric ? 'numeral numeric' : '', from === undefined ? '' : `mantine-visible-from-${from}`]
    .filter(Boolean)
    .join(' ')
}

export interface TwoLinesProps {
  readonly children: ReactNode
  /** The second line, smaller. Omitted if null. */
  readonly below: ReactNode
  /** `mono` for ids and the like. */
  readonly belowClass?: string
}

/** A name with a second line. Long texts are cut. */
export function TwoLines({ children, below, belowClass }: TwoLinesProps) {
  return (
    <span className="two-lines">
      <CutContent>{children}</CutContent>
      {below !== null && (
        <Text span size="xs" c="dimmed" fw={400} {...(belowClass !== undefined && { className: belowClass })}>
          <CutContent>{below}</CutContent>
        </Text>
      )}
    </span>
  )
}
