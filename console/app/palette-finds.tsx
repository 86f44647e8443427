import { useDebouncedValue } from '@mantine/hooks'
import type { SpotlightActionGroupData } from '@mantine/spotlight'
import {
  IconActivity,
  IconBuildingBank,
  IconCpu,
  IconKey,
  IconPlus,
  IconTruckDelivery,
} from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type LinkProps, useNavigate } from '@tanstack/react-router'
import { getQuery } from '../api/client.ts'
import { OPERATOR } from '../api/operator.ts'
import type { SearchHit } from '../api/wire.ts'

const PAUSE_MS = 150
const LEAST_LETTERS = 2
const REQUEST_ID = /^req_[\w-]+$/

const NONE: readonly SearchHit[] = []

const KINDS = {
  request: { label: 'Requests', icon: IconActivity },
  account: { label: 'Accounts', icon: IconBuildingBank },
  key: { label: 'API keys', icon: IconKey },
  model: { label: 'Models', icon: IconCpu },
  supplier: { label: 'Suppliers', icon: IconTruckDelivery },
} as const

/** What the gateway finds for an operator; others can only go to a request by its id. */
export function usePaletteHits(query: string, isOperator: boolean) {
  const navigate = useNavigate()
  const [q] = useDebouncedValue(query.trim(), PAUSE_MS)
  const isAsked = isOperator && q.length >= LEAST_LETTERS
  const search = useQuery({
    ...getQuery<{ data: readonly SearchHit[] }>(['operator', 'search', q], `${OPERATOR}/search`, { q }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  const typed = query.trim()
  const request: SearchHit = { kind: 'request', id: typed, name: typed, detail: '', account_id: null }
  const own = !isOperator && REQUEST_ID.test(typed) ? [request] : []
  const hits = isAsked ? (search.data?.data ?? NONE) : own
  const groups = (Object.keys(KINDS) as SearchHit['kind'][]).flatMap((kind): SpotlightActionGroupData[] => {
    const { label, icon: Glyph } = KINDS[kind]
    const actions = hits
      .filter((hit) => hit.kind === kind)
      .map((hit) => ({
        id: `${kind} ${hit.id}`,
        label: hit.name,
        description: hit.detail,
        // The gateway has matched it already.
        keywords: [query, hit.id],
        leftSection: <Glyph size={18} stroke={1.7} aria-hidden />,
        onClick: () => void navigate(placeOf(hit, isOperator)),
      }))
    return actions.length === 0 ? [] : [{ group: label, actions }]
  })
  return { hits: search.data, groups, isSearching: isAsked && search.isFetching }
}

type Place = Pick<LinkProps, 'to' | 'params' | 'search'>

function placeOf({ kind, id, account_id: account }: SearchHit, isOperator: boolean): Place {
  const params = { id }
  switch (kind) {
    case 'account':
      return { to: '/operator/accounts/$id', params }
    case 'key':
      return { to: '/keys/$id', params, search: { account: account ?? undefined } }
    case 'model':
      return { to: '/operator/models/$id', params }
    case 'supplier':
      return { to: '/operator/suppliers/$id', params }
    case 'request':
      return { to: isOperator ? '/operator/settlements/$id' : '/requests/$id', params }
  }
}

const ACTIONS = [
  { label: 'Create an API key', to: '/keys', search: { create: 'yes' }, isForOperators: false },
  { label: 'Create an account', to: '/operator/accounts', search: { do: 'create' }, isForOperators: true },
  { label: 'Import payments', to: '/operator/accounts', search: { do: 'import' }, isForOperators: true },
  { label: 'Add a supplier', to: '/operator/suppliers', search: { do: 'create' }, isForOperators: true },
  { label: 'Add a model', to: '/operator/models', search: { do: 'create' }, isForOperators: true },
  { label: 'Add a user', to: '/operator/users', search: { do: 'create' }, isForOperators: true },
] as const

/** What can be begun from anywhere. */
export function usePaletteActions(isOperator: boolean): SpotlightActionGroupData {
  const navigate = useNavigate()
  return {
    group: 'Actions',
    actions: ACTIONS.filter(({ isForOperators }) => isOperator || !isForOperators).map(
      ({ label, to, search }) => ({
        id: label,
        label,
        keywords: 'new action',
        leftSection: <IconPlus size={18} stroke={1.7} aria-hidden />,
        onClick: () => void navigate({ to, search }),
      }),
    ),
  }
}
