import { Anchor, Button, Center, Menu, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { Explored, ExploredSeries } from '../../api/wire.ts'
import { StatCard } from '../charts/stat-card.tsx'
import { ErrorNotice } from '../layout/error-notice.tsx'
import { outcomeLabel } from '../layout/outcome-badge.tsx'
import { PageHeader } from '../layout/page-header.tsx'
import { Panel } from '../layout/panel.tsx'
import { CURRENCY } from '../text/currency.ts'
import { TimeStamp } from '../text/time-stamp.tsx'
import { Controls, Filters } from './controls.tsx'
import { ExploreChart } from './explore-chart.tsx'
import { GroupTable, PeriodTable } from './explore-tables.tsx'
import {
  describeChange,
  formatPeriod,
  formatValue,
  type Group as Grouping,
  METRIC_WORDS,
} from './explore-words.ts'
import { download, writeCsv } from './export-view.ts'
import { SavedViews } from './saved-views.tsx'
import {
  type ExploreScope,
  type ExploreState,
  type ExploreView,
  type FilterName,
  useExplore,
} from './use-explore.ts'

interface ExplorePageProps {
  readonly scope: ExploreScope
  readonly title: string
  readonly description: string
}

/** The page Explore, for an account or for all. */
export function ExplorePage({ scope, title, description }: ExplorePageProps) {
  const { state, setState, view, answer } = useExplore(scope)
  const { data } = answer
  const nameOf = (series: ExploredSeries) => nameSeries(scope, view.group, series)
  const filter = FILTER_OF[view.group]
  return (
    <>
      <PageHeader
        title={title}
        description={description}
        actions={
          <>
            <SavedViews scope={scope} state={state} />
            <ExportMenu explored={data} nameOf={nameOf} />
          </>
        }
      />
      <Stack gap="lg">
        <Panel>
          <Stack gap="md">
            <Controls scope={scope} state={state} view={view} onChange={setState} />
            <Filters scope={scope} state={state} view={view} onChange={setState} />
          </Stack>
        </Panel>
        <ErrorNotice error={answer.error} onRetry={() => void answer.refetch()} />
        {answer.error === null && (
          <>
            <Figures explored={data} />
            <ValuesPanel explored={data} view={view} nameOf={nameOf} onChange={setState} />
            {data !== undefined && data.series.length > 0 && (
              <Panel
                title="Totals"
                description={
                  filter === null
                    ? 'The largest groups.'
                    : 'The largest groups. Choose a name to see only that one.'
                }
                isFlush
              >
                <GroupTable
                  explored={data}
                  nameOf={nameOf}
                  onChoose={filter === null ? null : (group) => setState({ [filter]: group, by: 'none' })}
                />
              </Panel>
            )}
          </>
        )}
      </Stack>
    </>
  )
}

const FILTER_OF: Readonly<Record<Grouping, FilterName | null>> = {
  none: null,
  model: 'model',
  key: 'key',
  supplier: 'supplier',
  session: 'session',
  agent: 'agent',
  code: null,
  account: 'of',
}

function nameSeries(scope: ExploreScope, group: Grouping, series: ExploredSeries): string {
  if (series.rest) return 'Others'
  if (group === 'none') return 'All'
  if (group === 'code' && series.group !== null) return outcomeLabel(series.group)
  if (series.group === null) return group === 'supplier' ? 'No supplier' : `No ${group}`
  return scope.nameOf(group, series.group)
}

function Figures({ explored }: { readonly explored: Explored | undefined }) {
  const change = explored && describeChange(explored.all.total, explored.all.total_before)
  const { forecast = null, unit = 'count' } = explored ?? {}
  const suffix = unit === 'amount' ? ` ${CURRENCY}` : ''
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
      <StatCard
        label="Total in this range"
        value={
          explored &&
          `${formatValue(explored.unit, explored.all.total)}${explored.all.total === null ? '' : suffix}`
        }
        hint={explored?.counted_from ? <CountedFrom at={explored.counted_from} /> : undefined}
      />
      {explored !== undefined && explored.periods_before.length > 0 && (
        <StatCard
          label="Previous period"
          value={`${formatValue(explored.unit, explored.all.total_before)}${explored.all.total_before === null ? '' : suffix}`}
          hint={
            change === null
              ? 'Nothing to compare with'
              : `${change} since the previous period. The current ${explored.granularity} is not over yet.`
          }
        />
      )}
      {forecast !== null && unit === 'amount' && (
        <StatCard
          label={`Forecast for ${formatPeriod(forecast.month, 'month')}`}
          value={`${formatValue(unit, forecast.expected)}${suffix}`}
          hint={`${formatValue(unit, forecast.so_far)} so far; the rest estimated from the last ${forecast.days === 1 ? 'full day' : `${forecast.days} full days`}`}
        />
      )}
    </SimpleGrid>
  )
}

function CountedFrom({ at }: { readonly at: string }) {
  return (
    <>
      Counted since <TimeStamp at={at} />
    </>
  )
}

interface ValuesPanelProps {
  readonly explored: Explored | undefined
  readonly view: ExploreView
  readonly nameOf: (series: ExploredSeries) => string
  readonly onChange: (change: Partial<ExploreState>) => void
}

const HEIGHT = 340

function ValuesPanel({ explored, view, nameOf, onChange }: ValuesPanelProps) {
  const { label, explanation } = METRIC_WORDS[view.metric]
  const isEmpty = explored !== undefined && isNothing(explored)
  return (
    <Panel title={label} description={explanation} isFlush={view.show === 'table' && !isEmpty}>
      {explored === undefined && <Skeleton height={HEIGHT} />}
      {isEmpty && (
        <Center h={HEIGHT}>
          <Text c="dimmed" size="sm">
            Nothing in this time. Choose a longer one, or remove filters.
          </Text>
        </Center>
      )}
      {explored !== undefined && !isEmpty && view.show === 'table' && (
        <PeriodTable explored={explored} nameOf={nameOf} />
      )}
      {explored !== undefined && !isEmpty && view.show !== 'table' && (
        <ExploreChart
          explored={explored}
          kind={view.show}
          label={`${label} per ${explored.granularity}`}
          nameOf={nameOf}
        />
      )}
      {explored !== undefined && <AboutRefusals view={view} onChange={onChange} />}
    </Panel>
  )
}

/** Says whether the errors include requests that were refused before they were admitted. */
function AboutRefusals({ view, onChange }: Pick<ValuesPanelProps, 'view' | 'onChange'>) {
  if (view.metric !== 'errors' && view.metric !== 'error_rate') return null
  return (
    <Text
      mt="md"
      px={view.show === 'table' ? 'lg' : 0}
      pb={view.show === 'table' ? 'md' : 0}
      size="sm"
      c="dimmed"
    >
      {view.group === 'code' ? (
        'Requests that were refused on arrival are included. They are kept for 14 days.'
      ) : (
        <>
          Requests that were refused on arrival are not included.{' '}
          <Anchor component="button" type="button" inherit onClick={() => onChange({ by: 'code' })}>
            Group by error code to see them
          </Anchor>
        </>
      )}
    </Text>
  )
}

function isNothing({ all }: Explored): boolean {
  return [...all.values, ...all.values_before].every((value) => value === null || Number(value) === 0)
}

interface ExportMenuProps {
  readonly explored: Explored | undefined
  readonly nameOf: (series: ExploredSeries) => string
}

/** The file has exactly what the page shows. */
function ExportMenu({ explored, nameOf }: ExportMenuProps) {
  const name = `explore-${explored?.metric}-${explored?.periods[0]?.slice(0, 10)}`
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={explored === undefined}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          onClick={() => explored && download(`${name}.csv`, 'text/csv', writeCsv(explored, nameOf))}
        >
          CSV
        </Menu.Item>
        <Menu.Item
          onClick={() =>
            explored && download(`${name}.json`, 'application/json', JSON.stringify(explored, null, 2))
          }
        >
          JSON
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
