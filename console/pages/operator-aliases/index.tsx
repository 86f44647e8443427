import { TextInput } from '@mantine/core'
import { IconTag } from '@tabler/icons-react'
import type { Aliases } from '../../../src/vocabulary/records/alias.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import type { Alias } from '../../api/wire.ts'
import { RecordPage } from '../../parts/record-page.tsx'
import { type Column, TwoLines } from '../../parts/tables/table-panel.tsx'

export function Page() {
  return (
    <RecordPage
      slug="aliases"
      title="Aliases"
      description="Other names for models. Each change applies from the next request."
      noun="alias"
      plural="aliases"
      icon={IconTag}
      purpose="Give a model a name of your own, or let one name try several models in order."
      exampleId="best"
      columns={COLUMNS}
      valuesOf={valuesOf}
      bodyOf={bodyOf}
      validate={{
        id: (id) => (id.trim() === '' ? 'Enter an id' : null),
        name: (name) => (name.trim() === '' ? 'Enter the name that clients ask for' : null),
        models: (models) => (namesIn(models).length === 0 ? 'Enter a model' : null),
      }}
      fields={(field) => (
        <>
          <TextInput
            label="Name"
            description="What clients ask for. It comes before a model of the same name."
            placeholder="best"
            required
            {...field('name')}
          />
          <TextInput
            label="Models"
            description="In the order in which they are tried, separated by commas."
            placeholder="claude-sonnet-5, gpt-5"
            required
            {...field('models')}
          />
          <TextInput
            label="Account"
            description="The id of the only account that has this alias. Empty for all accounts."
            {...field('account_id')}
          />
        </>
      )}
    />
  )
}

const COLUMNS: readonly Column<Alias>[] = [
  {
    head: 'Alias',
    cell: ({ id, name }) => (
      <TwoLines below={id} belowClass="mono">
        {name}
      </TwoLines>
    ),
  },
  { head: 'Models', cell: ({ models }) => models.join(', ') },
  { head: 'Account', from: 'sm', cell: ({ account_id }) => account_id ?? 'All' },
]

type Values = ReturnType<typeof valuesOf>

function valuesOf(alias: Alias | null) {
  return {
    id: alias?.id ?? '',
    name: alias?.name ?? '',
    models: alias?.models.join(', ') ?? '',
    account_id: alias?.account_id ?? '',
  }
}

function namesIn(text: string): string[] {
  return text.split(',').flatMap((name) => name.trim() || [])
}

function bodyOf({ name, models, account_id }: Values): Sent<typeof Aliases.body> {
  return { name: name.trim(), models: namesIn(models), account_id: account_id.trim() || null }
}
