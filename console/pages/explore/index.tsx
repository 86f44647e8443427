import { accountPath } from '../../api/client.ts'
import { useKeys } from '../../api/keys.ts'
import { useModels } from '../../api/models.ts'
import { useSupplierNames } from '../../api/usage.ts'
import { useAccount, useMay } from '../../app/account.ts'
import { ExplorePage } from '../../parts/explore/explore-page.tsx'
import type { ExploreScope } from '../../parts/explore/use-explore.ts'
import { KeyPicker } from '../../parts/pickers/key-picker.tsx'

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
    pickerOf: (name, props) => (name === 'key' ? <KeyPicker {...props} account={id} /> : null),
    suggestionsOf: (name) => (name === 'model' ? models : name === 'supplier' ? suppliers : []),
    nameOf: (group, name) => (group === 'key' ? (names.get(name) ?? name) : name),
  }
  return (
    <ExplorePage
      scope={scope}
      title="Explore"
      description="Any metric of your usage, grouped and filtered as you like."
    />
  )
}
