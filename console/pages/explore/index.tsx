import { NativeSelect } from '@mantine/core'
import { accountPath } from '../../api/client.ts'
import { useKeys } from '../../api/keys.ts'
import { useModels } from '../../api/models.ts'
import { useSupplierNames } from '../../api/usage.ts'
import { useAccount, useMay } from '../../app/account.ts'
import { ExplorePage } from '../../parts/explore/explore-page.tsx'
import type { ExploreScope, FilterPicker } from '../../parts/explore/use-explore.ts'
import { KeyPicker } from '../../parts/pickers/key-picker.tsx'
import { plainChoices, withChosen } from '../../parts/requests/filter-choices.ts'

export function Page() {
  const { id } = useAccount()
  const { rows } = useKeys(id)
  const models = useModels(id).data?.data.map((model) => model.id) ?? []
  const suppliers = useSupplierNames(id)
  const names = new Map(rows.map((key) => [key.id, key.name]))
  const scope: ExploreScope = {
    queryKey: [id, 'explore'],
    path: accountPath(id, '/explore'),
    isOfOperators: false,
    maySave: useMay('save-views'),
    pickerOf: (name, props) => {
      if (name === 'key') return <KeyPicker {...props} account={id} />
      if (name === 'model') return <ChoicePicker {...props} values={models} />
      return name === 'supplier' ? <ChoicePicker {...props} values={suppliers} /> : null
    },
    nameOf: (group, name) => (group === 'key' ? (names.get(name) ?? name) : name),
  }
  return (
    <ExplorePage
      scope={scope}
      title="Explore"
      description="Any figure of your usage, by whatever you want to tell apart."
    />
  )
}

function ChoicePicker({
  label,
  value,
  onChange,
  values,
}: FilterPicker & { readonly values: readonly string[] }) {
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[{ value: '', label: 'All' }, ...withChosen(plainChoices(values), value)]}
    />
  )
}
