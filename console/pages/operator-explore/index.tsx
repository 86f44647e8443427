import { OPERATOR, useAccountNames } from '../../api/operator.ts'
import { ExplorePage } from '../../parts/explore/explore-page.tsx'
import type { ExploreScope } from '../../parts/explore/use-explore.ts'

export function Page() {
  const accountName = useAccountNames()
  const scope: ExploreScope = {
    queryKey: ['operator', 'explore'],
    path: `${OPERATOR}/explore`,
    isOfOperators: true,
    maySave: true,
    nameOf: (group, name) => (group === 'account' ? accountName(name) : name),
  }
  return (
    <ExplorePage
      scope={scope}
      description="Any figure of all accounts, by whatever you want to tell apart."
    />
  )
}
