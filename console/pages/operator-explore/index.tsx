import { useQuery } from '@tanstack/react-query'
import { allSuppliersQuery, OPERATOR, useAccountNames, useAnyKeyNames } from '../../api/operator.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ExplorePage } from '../../parts/explore/explore-page.tsx'
import type { ExploreScope, FilterName, FilterPicker } from '../../parts/explore/use-explore.ts'
import { AccountPicker, AnyKeyPicker, CatalogModelPicker } from '../../parts/pickers/operator-pickers.tsx'

export function Page() {
  const accountName = useAccountNames()
  const keyName = useAnyKeyNames()
  const suppliers = useQuery(allSuppliersQuery).data?.data.map(({ id }) => id) ?? []
  const [{ of: account }] = useUrlState({ of: '' })
  const scope: ExploreScope = {
    queryKey: ['operator', 'explore'],
    path: `${OPERATOR}/explore`,
    isOfOperators: true,
    maySave: true,
    nameOf: (group, name) => {
      if (group === 'account') return accountName(name)
      return group === 'key' ? keyName(name) : name
    },
    pickerOf: (name, props) => pickerOf(name, props, account),
    suggestionsOf: (name) => (name === 'supplier' ? suppliers : []),
  }
  return (
    <ExplorePage
      scope={scope}
      title="Explore all"
      description="Any metric of all accounts, grouped and filtered as you like."
    />
  )
}

function pickerOf(name: FilterName, props: FilterPicker, account: string) {
  switch (name) {
    case 'of':
      return <AccountPicker {...props} />
    case 'key':
      return <AnyKeyPicker {...props} account={account} />
    case 'model':
      return <CatalogModelPicker {...props} />
    default:
      return null
  }
}
