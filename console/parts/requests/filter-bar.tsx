import { Button, Collapse, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { TimeField } from '../forms/time-field.tsx'
import { IdField } from '../tables/id-field.tsx'
import { type Choice, CODE_CHOICES, OUTCOME_CHOICES, STREAM_CHOICES, withChosen } from './filter-choices.ts'
import { type FilterName, type FiltersProps, NO_FILTERS, setFilters, viewOf } from './request-filters.ts'
import { SPANS } from './time-filter.ts'

export interface FilterBarProps extends FiltersProps {
  readonly keyPicker: ReactNode
  readonly modelPicker: ReactNode
  /** The names to choose from. */
  readonly suppliers: readonly Choice[]
  /** Before the other filters. */
  readonly first?: ReactNode
  /** What the search field takes. */
  readonly searchHint: string
  /** Whether stored bodies are searched, which only the time can narrow. */
  readonly isTextSearch?: boolean
}

const SORTS: readonly Choice[] = [
  { value: 'requests', label: 'Most requests first' },
  { value: 'errors', label: 'Most errors first' },
  { value: 'tokens', label: 'Most tokens first' },
  { value: 'amount', label: 'Highest cost first' },
]

const ERRORS: readonly Choice[] = [
  { value: 'true', label: 'With errors' },
  { value: 'false', label: 'Without errors' },
]

/** The filters of a view; those that are seldom needed behind a button. */
export function FilterBar(props: FilterBarProps) {
  const { filters, onChange, first, isTextSearch = false } = props
  // The other views have few filters.
  const rest = viewOf(filters) === '' && !isTextSearch ? RARE : []
  const isRestSet = rest.some((name) => filters[name] !== '')
  const [isOpen, { toggle }] = useDisclosure(isRestSet)
  const isCleared = setFilters(filters).length === 0
  return (
    <search className="request-filters" aria-label="Filter requests">
      <Group gap="sm" align="flex-end">
        <SearchField {...props} />
        {first}
        {isTextSearch ? <TimeFilter {...props} /> : <CommonFilters {...props} />}
        {rest.length > 0 && (
          <Button
            variant="default"
            aria-expanded={isOpen}
            leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
            onClick={toggle}
          >
            {isOpen ? 'Fewer filters' : 'More filters'}
          </Button>
        )}
        {!isCleared && (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconX size={14} aria-hidden />}
            onClick={() => onChange({ ...NO_FILTERS, view: filters.view })}
          >
            Clear
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen || isRestSet}>
        {(isOpen || isRestSet) && <RareFilters {...props} />}
      </Collapse>
    </search>
  )
}

const RARE: readonly FilterName[] = ['supplier', 'code', 'stream', 'session', 'agent']

/** A view with few filters shows all of them at once. */
function CommonFilters({ filters, onChange, keyPicker, modelPicker }: FilterBarProps) {
  const view = viewOf(filters)
  return (
    <>
      {keyPicker}
      {view !== 'sessions' && modelPicker}
      {view === '' && (
        <Choose name="outcome" any="All outcomes" choices={OUTCOME_CHOICES} {...{ filters, onChange }} />
      )}
      {view === 'refused' && (
        <Choose name="code" any="All error codes" choices={CODE_CHOICES} {...{ filters, onChange }} />
      )}
      {view === 'sessions' && (
        <Choose name="errors" any="All sessions" choices={ERRORS} {...{ filters, onChange }} />
      )}
      <TimeFilter filters={filters} onChange={onChange} />
      {view === 'sessions' && (
        <Choose name="sort" any="Newest first" choices={SORTS} {...{ filters, onChange }} />
      )}
    </>
  )
}

function TimeFilter({ filters, onChange }: FiltersProps) {
  const isCustom = filters.span === 'custom'
  return (
    <>
      <NativeSelect
        aria-label="Time"
        value={filters.span}
        onChange={(event) => onChange({ span: event.currentTarget.value, from: '', to: '' })}
        data={SPANS}
      />
      {isCustom && (
        <>
          <TimeField label="From (local time)" value={filters.from} onChange={(from) => onChange({ from })} />
          <TimeField label="Before (local time)" value={filters.to} onChange={(to) => onChange({ to })} />
        </>
      )}
    </>
  )
}

function RareFilters({ filters, onChange, suppliers }: FilterBarProps) {
  const parts = { filters, onChange }
  return (
    <Group gap="sm" mt="sm">
      <Choose name="supplier" any="All suppliers" choices={suppliers} {...parts} />
      <Choose name="code" any="All error codes" choices={CODE_CHOICES} {...parts} />
      <Choose name="stream" any="Streamed or not" choices={STREAM_CHOICES} {...parts} />
      <IdField
        aria-label="Session"
        placeholder="All sessions"
        value={filters.session}
        onChange={(session) => onChange({ session })}
      />
      <IdField
        aria-label="Agent"
        placeholder="All agents"
        value={filters.agent}
        onChange={(agent) => onChange({ agent })}
      />
    </Group>
  )
}

const LABELS: Readonly<Partial<Record<FilterName, string>>> = {
  outcome: 'Outcome',
  supplier: 'Supplier',
  code: 'Error code',
  stream: 'Streaming',
  errors: 'Errors',
  sort: 'Order',
}

interface ChooseProps extends FiltersProps {
  readonly name: FilterName
  /** The choice of no filter. */
  readonly any: string
  readonly choices: readonly Choice[]
}

function Choose({ name, any, choices, filters, onChange }: ChooseProps) {
  return (
    <NativeSelect
      aria-label={LABELS[name] ?? name}
      value={filters[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
      data={[{ value: '', label: any }, ...withChosen(choices, filters[name])]}
    />
  )
}

/** Sessions are looked for by their own id. */
function SearchField({ filters, onChange, searchHint }: FilterBarProps) {
  const isOfSessions = viewOf(filters) === 'sessions'
  const value = isOfSessions ? filters.session : filters.q
  const apply = (text: string) => {
    const wanted = text.trim()
    if (wanted !== value) onChange(isOfSessions ? { session: wanted } : { q: wanted })
  }
  return (
    <TextInput
      className="request-search"
      aria-label="Search"
      placeholder={isOfSessions ? 'Session id' : searchHint}
      leftSection={<IconSearch size={16} aria-hidden />}
      defaultValue={value}
      // A link or “Clear” changes the value from outside.
      key={`${filters.view} ${value}`}
      onBlur={(event) => apply(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(event.currentTarget.value)
      }}
    />
  )
}
