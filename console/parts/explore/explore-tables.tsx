import { Anchor, Table } from '@mantine/core'
import type { Explored, ExploredSeries } from '../../api/wire.ts'
import { CutContent, CutText } from '../tables/cut-text.tsx'
import { ScrollTable } from '../tables/scroll-table.tsx'
import { describeChange, formatPeriod, formatValue, GROUP_WORDS } from './explore-words.ts'
import { shownSeries } from './export-view.ts'

interface TableProps {
  readonly explored: Explored
  readonly nameOf: (series: ExploredSeries) => string
}

function numericHead(head: string, key = head, isOptional = false) {
  return (
    <Table.Th key={key} scope="col" className="numeric" {...(isOptional && { visibleFrom: 'sm' })}>
      <CutText text={head} width={22} />
    </Table.Th>
  )
}

/** The whole range of each group; a name narrows the view to its group. */
export function GroupTable({
  explored,
  nameOf,
  onChoose,
}: TableProps & { readonly onChoose: ((group: string) => void) | null }) {
  const { unit, all, series, group_by: by, periods_before: before } = explored
  const isCompared = before.length > 0
  const hasShare = (unit === 'amount' || unit === 'count') && Number(all.total) > 0
  const rows = [...series, { ...all, isAll: true }]
  return (
    <ScrollTable
      label="Totals"
      className="data-table"
      heads={[
        series.length === 0 ? 'Group' : GROUP_WORDS[by],
        numericHead('Total'),
        ...(hasShare && series.length > 0 ? [numericHead('Share', 'Share', isCompared)] : []),
        ...(isCompared ? [numericHead('Before'), numericHead('Change')] : []),
      ]}
    >
      <Table.Tbody>
        {rows.map((each, index) => (
          <Table.Tr
            key={'isAll' in each ? 'all' : `${index} ${each.group}`}
            fw={'isAll' in each ? 600 : undefined}
          >
            <Table.Td className="overview-group">
              {'isAll' in each || each.group === null || onChoose === null ? (
                <CutContent>{'isAll' in each ? 'All together' : nameOf(each)}</CutContent>
              ) : (
                <Anchor
                  component="button"
                  type="button"
                  size="sm"
                  ta="start"
                  aria-description="Show only this"
                  onClick={() => onChoose(each.group ?? '')}
                >
                  <CutContent>{nameOf(each)}</CutContent>
                </Anchor>
              )}
            </Table.Td>
            <Table.Td className="numeral numeric">{formatValue(unit, each.total)}</Table.Td>
            {hasShare && series.length > 0 && (
              <Table.Td className="numeral numeric" {...(isCompared && { visibleFrom: 'sm' })}>
                {formatValue('share', String(Number(each.total) / Number(all.total)))}
              </Table.Td>
            )}
            {isCompared && (
              <>
                <Table.Td className="numeral numeric">{formatValue(unit, each.total_before)}</Table.Td>
                <Table.Td className="numeral numeric">
                  {describeChange(each.total, each.total_before) ?? '–'}
                </Table.Td>
              </>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  )
}

/** Every value of every period, the newest first. */
export function PeriodTable({ explored, nameOf }: TableProps) {
  const { periods, granularity, periods_before: before } = explored
  const shown = shownSeries(explored)
  const isCompared = before.length > 0
  const places = periods.map((_, place) => place).reverse()
  return (
    <ScrollTable
      label="Values by period"
      className="data-table explore-periods"
      heads={[
        'Period',
        ...shown.flatMap((each, index) => [
          numericHead(nameOf(each), `now ${index}`),
          ...(isCompared ? [numericHead('Before', `before ${index}`)] : []),
        ]),
      ]}
    >
      <Table.Tbody>
        {places.map((place) => (
          <Table.Tr key={periods[place]}>
            <Table.Th scope="row" className="explore-period">
              {formatPeriod(periods[place] ?? '', granularity)}
            </Table.Th>
            {shown.map((each) => (
              <PeriodCells key={keyOf(each)} explored={explored} series={each} place={place} />
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  )
}

/** No two series have the same. */
function keyOf({ group, rest }: ExploredSeries): string {
  return rest ? 'rest' : `group ${group}`
}

interface PeriodCellsProps {
  readonly explored: Explored
  readonly series: ExploredSeries
  readonly place: number
}

function PeriodCells({ explored, series, place }: PeriodCellsProps) {
  const { unit, periods_before: before } = explored
  return (
    <>
      <Table.Td className="numeral numeric">{formatValue(unit, series.values[place] ?? null)}</Table.Td>
      {before.length > 0 && (
        <Table.Td className="numeral numeric">
          {formatValue(unit, series.values_before[place] ?? null)}
        </Table.Td>
      )}
    </>
  )
}
