import { Switch, Text, TextInput } from '@mantine/core'
import { IconStairsUp } from '@tabler/icons-react'
import type { Tiers } from '../../../src/vocabulary/records/tier.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import type { Tier } from '../../api/wire.ts'
import { countOrNull, describeLimit, RateFields } from '../../parts/forms/rate-fields.tsx'
import { OnBadge } from '../../parts/layout/status-badge.tsx'
import { PositionField, RecordActions, RecordName, RecordPage } from '../../parts/record-page.tsx'
import type { Column } from '../../parts/tables/table-panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatMoney } from '../../parts/text/format.ts'
import { Money } from '../../parts/text/money.tsx'

const RECORD = { slug: 'tiers', noun: 'tier' } as const

export function Page() {
  return (
    <RecordPage
      {...RECORD}
      title="Tiers"
      description="Rate limits of accounts, and how much an account must pay in total to reach them. Changed limits apply from the next request; a tier that payments earn starts at the next full hour."
      icon={IconStairsUp}
      purpose="A tier sets how many requests and tokens an account may use per minute."
      exampleId="gold"
      columns={COLUMNS}
      actions={({ id }, onEdit) => (
        <RecordActions
          {...RECORD}
          id={id}
          onEdit={onEdit}
          consequence="A built-in tier returns to its defaults."
        />
      )}
      valuesOf={valuesOf}
      bodyOf={bodyOf}
      validate={{
        id: (id) => (id.trim() === '' ? 'Enter an id' : null),
        name: (name) => (name.trim() === '' ? 'Enter the name that accounts show' : null),
        earned_at: (total) => (/^(\d+(\.\d{1,9})?)?$/.test(total.trim()) ? null : 'Enter an amount'),
      }}
      fields={(field) => (
        <>
          <TextInput
            label="Name"
            description="You can change it only while no account has the tier."
            placeholder="Gold"
            maxLength={60}
            required
            {...field('name')}
          />
          <RateFields description="Leave empty for no limit." inputProps={field} />
          <TextInput
            label={`Earned at, ${CURRENCY}`}
            description="The total paid that earns the tier. Leave empty if only operators assign it."
            inputMode="decimal"
            {...field('earned_at')}
          />
          <PositionField {...field('position')} />
          <Switch label="Enabled" {...field('enabled', { type: 'checkbox' })} />
        </>
      )}
    />
  )
}

const COLUMNS: readonly Column<Tier>[] = [
  {
    head: 'Tier',
    cell: ({ id, name, rpm, tpm, earned_at: total, enabled }) => (
      <>
        <RecordName id={id} name={name} />
        <Text size="xs" c="dimmed" hiddenFrom="sm" component="div" mt={4}>
          Requests a minute: {describeLimit(rpm)}
          <br />
          Tokens a minute: {describeLimit(tpm)}
          <br />
          {total === null ? 'Assigned only' : `Earned at ${formatMoney(total)} ${CURRENCY}`}
          {!enabled && ', disabled'}
        </Text>
      </>
    ),
  },
  { head: 'Requests a minute', isNumeric: true, from: 'sm', cell: ({ rpm }) => describeLimit(rpm) },
  { head: 'Tokens a minute', isNumeric: true, from: 'sm', cell: ({ tpm }) => describeLimit(tpm) },
  {
    head: `Earned at, ${CURRENCY}`,
    isNumeric: true,
    from: 'sm',
    cell: ({ earned_at: total }) => (total === null ? 'Assigned only' : <Money amount={total} isBare />),
  },
  { head: 'State', from: 'md', cell: ({ enabled }) => <OnBadge isOn={enabled} /> },
]

interface Values {
  readonly id: string
  readonly name: string
  readonly rpm: number | string
  readonly tpm: number | string
  readonly earned_at: string
  readonly position: number
  readonly enabled: boolean
}

function valuesOf(tier: Tier | null): Values {
  return {
    id: tier?.id ?? '',
    name: tier?.name ?? '',
    rpm: tier?.rpm ?? '',
    tpm: tier?.tpm ?? '',
    earned_at: tier?.earned_at ?? '',
    position: tier?.position ?? 0,
    enabled: tier?.enabled ?? true,
  }
}

function bodyOf({ name, rpm, tpm, earned_at, position, enabled }: Values): Sent<typeof Tiers.body> {
  return {
    name: name.trim(),
    rpm: countOrNull(rpm),
    tpm: countOrNull(tpm),
    earned_at: earned_at.trim() || null,
    position: Number(position),
    enabled,
  }
}
