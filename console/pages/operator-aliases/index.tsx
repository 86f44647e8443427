import { TextInput } from '@mantine/core'
import { IconTag } from '@tabler/icons-react'
import type { Aliases } from '../../../src/vocabulary/records/alias.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import { useAccountNames } from '../../api/operator.ts'
import type { NameOf } from '../../api/use-list.ts'
import type { Alias } from '../../api/wire.ts'
import { AccountPicker } from '../../parts/pickers/operator-pickers.tsx'
import { RecordName, RecordPage } from '../../parts/record-page.tsx'
import type { Column } from '../../parts/tables/table-panel.tsx'

export function Page() {
  const nameOf = useAccountNames()
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
      columns={columnsOf(nameOf)}
      valuesOf={valuesOf}
      bodyOf={bodyOf}
      validate={{
        id: (id) => (id.trim() === '' ? 'Enter an id' : null),
        name: (name) => (name.trim() === '' ? 'Enter the name that clients ask for' : null),
        models: (models) => (namesIn(models).length === 0 ? 'Enter a model' : null),
      }}
      fields={(field, form) => (
        <>
          <TextInput
            label="Name"
            description="What clients ask for. If a model has the same name, the alias wins."
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
          <AccountPicker
            label="Only for account"
            description="Leave empty for all accounts."
            error={form.errors.account_id}
            value={form.values.account_id}
            onChange={(id) => form.setFieldValue('account_id', id)}
          />
        </>
      )}
    />
  )
}

const columnsOf = (nameOf: NameOf): readonly Column<Alias>[] => [
  {
    head: 'Alias',
    cell: (row) => <RecordName {...row} />,
  },
  { head: 'Models', cell: ({ models }) => <span className="wrapped">{models.join(', ')}</span> },
  { head: 'Account', from: 'sm', cell: ({ account_id: id }) => (id === null ? 'All' : nameOf(id)) },
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
