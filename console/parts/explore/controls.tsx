import { Autocomplete, CloseButton, Group, NativeSelect, SegmentedControl, Switch } from '@mantine/core'
import { Fragment } from 'react'
import { EXPLORE_GROUPS, EXPLORE_METRICS } from '../../../src/vocabulary/words.ts'
import { RangePicker } from '../charts/range-picker.tsx'
import { canGroup, GROUP_WORDS, METRIC_WORDS, PER_WORDS } from './explore-words.ts'
import type { ExploreScope, ExploreState, ExploreView, FilterName } from './use-explore.ts'

export interface ControlsProps {
  readonly scope: ExploreScope
  readonly state: ExploreState
  readonly view: ExploreView
  readonly onChange: (change: Partial<ExploreState>) => void
}

/** What is shown, and how. */
export function Controls({ scope, state, view, onChange }: ControlsProps) {
  const metrics = EXPLORE_METRICS.filter(
    (metric) => scope.isOfOperators || (metric !== 'cost' && metric !== 'margin'),
  )
  const groups = EXPLORE_GROUPS.filter(
    (group) => canGroup(view.metric, group) && (scope.isOfOperators || group !== 'account'),
  )
  return (
    <div className="explore-controls">
      <NativeSelect
        label="Metric"
        value={view.metric}
        onChange={(event) => onChange({ metric: event.currentTarget.value })}
        data={metrics.map((value) => ({ value, label: METRIC_WORDS[value].label }))}
      />
      <NativeSelect
        label="Group by"
        value={view.group}
        onChange={(event) => onChange({ by: event.currentTarget.value })}
        data={groups.map((value) => ({ value, label: GROUP_WORDS[value] }))}
      />
      <NativeSelect
        label="Interval"
        value={view.per}
        onChange={(event) => onChange({ per: event.currentTarget.value })}
        data={view.pers.map((value) => ({ value, label: PER_WORDS[value] }))}
      />
      <div>
        <RangePicker label="Time range" span={state.span} onChange={(span) => onChange({ span, per: '' })} />
      </div>
      <Group gap="md" className="explore-looks">
        <SegmentedControl
          aria-label="Show as"
          value={view.show}
          onChange={(show) => onChange({ show })}
          data={[
            { value: 'bars', label: 'Bars' },
            { value: 'lines', label: 'Lines' },
            { value: 'table', label: 'Table' },
          ]}
        />
        <Switch
          label="Compare with the previous period"
          checked={view.isCompared}
          onChange={(event) => onChange({ compare: event.currentTarget.checked ? 'yes' : '' })}
        />
      </Group>
    </div>
  )
}

const FILTER_WORDS: Readonly<Record<FilterName, string>> = {
  of: 'Account',
  key: 'Key',
  model: 'Model',
  supplier: 'Supplier',
  session: 'Session',
  agent: 'Agent',
}

/** Narrows what is counted. Names in the table do the same. */
export function Filters({ scope, state, view, onChange }: ControlsProps) {
  const names = (Object.keys(FILTER_WORDS) as FilterName[]).filter(
    (name) => (scope.isOfOperators || name !== 'of') && (canFilter(view.metric, name) || state[name] !== ''),
  )
  return (
    <div className="explore-controls">
      {names.map((name) => (
        <Fragment key={name}>
          {scope.pickerOf(name, {
            label: FILTER_WORDS[name],
            value: state[name],
            onChange: (value) => onChange({ [name]: value }),
          }) ?? (
            // A new field for a value that came from elsewhere.
            <FilterField
              key={state[name]}
              name={name}
              value={state[name]}
              suggestions={scope.suggestionsOf?.(name) ?? []}
              onChange={onChange}
            />
          )}
        </Fragment>
      ))}
    </div>
  )
}

/** What is measured is not counted by these. One that is set stays, so that it can be removed. */
function canFilter(metric: ExploreView['metric'], name: FilterName): boolean {
  const isFine = name === 'key' || name === 'session' || name === 'agent'
  return !(isFine && METRIC_WORDS[metric].isMeasured)
}

/** What to type where nothing can be suggested. */
const PLACEHOLDERS: Partial<Record<FilterName, string>> = { session: 'Session id', agent: 'Agent name' }

interface FilterFieldProps {
  readonly name: FilterName
  readonly value: string
  readonly suggestions: readonly string[]
  readonly onChange: (change: Partial<ExploreState>) => void
}

function FilterField({ name, value, suggestions, onChange }: FilterFieldProps) {
  const commit = (given: string) => {
    if (given.trim() !== value) onChange({ [name]: given.trim() })
  }
  return (
    <Autocomplete
      label={FILTER_WORDS[name]}
      placeholder={PLACEHOLDERS[name] ?? 'All'}
      defaultValue={value}
      data={[...suggestions]}
      maxLength={200}
      onOptionSubmit={commit}
      onBlur={(event) => commit(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit(event.currentTarget.value)
      }}
      rightSection={
        value !== '' && (
          <CloseButton
            size="sm"
            aria-label={`Clear ${FILTER_WORDS[name]}`}
            onClick={() => onChange({ [name]: '' })}
          />
        )
      }
    />
  )
}
