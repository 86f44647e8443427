import { Button, Group, NativeSelect, Switch } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { OUTCOMES } from '../../../src/vocabulary/words.ts'
import type { ApiKey, Model } from '../../api/wire.ts'
import { outcomeLabel } from '../../parts/outcome-badge.tsx'
import { TimeField } from '../../parts/time-field.tsx'
import { SPANS } from './time-filter.ts'

export const NO_FILTERS = { key: '', model: '', outcome: '', span: 'all', from: '', to: '' }
export type Filters = typeof NO_FILTERS

export interface FilterBarProps {
  readonly filters: Filters
  readonly onChange: (change: Partial<Filters>) => void
  readonly keys: readonly ApiKey[]
  readonly models: readonly Model[]
}

export function FilterBar({ filters, onChange, keys, models }: FilterBarProps) {
  const isCustom = filters.span === 'custom'
  const isFiltered = Object.entries(NO_FILTERS).some(
    ([name, value]) => (name !== 'to' || isCustom) && filters[name as keyof Filters] !== value,
  )
  return (
    <Group gap="sm" className="request-filters" role="search" aria-label="Filter requests">
      <NativeSelect
        aria-label="Key"
        value={filters.key}
        onChange={(event) => onChange({ key: event.currentTarget.value })}
        data={withAny('All keys', keyChoices(keys), filters.key)}
      />
      <NativeSelect
        aria-label="Model"
        value={filters.model}
        onChange={(event) => onChange({ model: event.currentTarget.value })}
        data={withAny('All models', modelChoices(models), filters.model)}
      />
      <NativeSelect
        aria-label="Outcome"
        value={filters.outcome}
        onChange={(event) => onChange({ outcome: event.currentTarget.value })}
        data={[
          { value: '', label: 'All outcomes' },
          ...OUTCOMES.map((value) => ({ value, label: outcomeLabel(value) })),
        ]}
      />
      <NativeSelect
        aria-label="Time"
        value={filters.span}
        onChange={(event) => onChange({ span: event.currentTarget.value, from: '', to: '' })}
        data={SPANS}
      />
      {isCustom && (
        <>
          <TimeField aria-label="From" value={filters.from} onChange={(from) => onChange({ from })} />
          <TimeField aria-label="Before" value={filters.to} onChange={(to) => onChange({ to })} />
        </>
      )}
      {isFiltered && (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconX size={14} aria-hidden />}
          onClick={() => onChange(NO_FILTERS)}
        >
          Clear
        </Button>
      )}
    </Group>
  )
}

interface Choice {
  readonly value: string
  readonly label: string
}

const modelChoices = (models: readonly Model[]): Choice[] =>
  models.map(({ id }) => ({ value: id, label: id }))

const keyChoices = (keys: readonly ApiKey[]): Choice[] =>
  keys.map(({ id, name, last_four }) => ({
    value: id,
    label: last_four === null ? name : `${name} · …${last_four}`,
  }))

/** A deep link may name what is not in the list any more; it must not look as if nothing were chosen. */
function withAny(any: string, choices: readonly Choice[], chosen: string): Choice[] {
  const isKnown = chosen === '' || choices.some(({ value }) => value === chosen)
  return [{ value: '', label: any }, ...choices, ...(isKnown ? [] : [{ value: chosen, label: chosen }])]
}

export interface LiveSwitchProps {
  readonly filters: Filters
  readonly onChange: (change: Partial<Filters>) => void
}

/** A paused list ends at the moment of the pause, which is in the address: the same rows can be shown to others. */
export function LiveSwitch({ filters, onChange }: LiveSwitchProps) {
  if (filters.span === 'custom') return null
  const isLive = filters.to === ''
  return (
    <Switch
      label="Live"
      checked={isLive}
      onChange={() => onChange({ to: isLive ? new Date().toISOString() : '' })}
      className="live-switch"
      wrapperProps={{ 'data-live': isLive || undefined }}
    />
  )
}
