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
import { useMemo } from 'react'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import { accountPath, getQuery } from '../api/client.ts'
import { useModels } from '../api/models.ts'
import { OPERATOR } from '../api/operator.ts'
import type { ApiKey, SearchHit } from '../api/wire.ts'
import { useChosenAccount } from './account.ts'

const PAUSE_MS = 150
const LEAST_LETTERS = 2
const MOST_HITS = 5
const REQUEST_ID = /^req_[\w-]+$/

const NONE: readonly SearchHit[] = []

const KINDS = {
  request: { label: 'Requests', icon: IconActivity },
  account: { label: 'Accounts', icon: IconBuildingBank },
  key: { label: 'API keys', icon: IconKey },
  model: { label: 'Models', icon: IconCpu },
  supplier: { label: 'Suppliers', icon: IconTruckDelivery },
} as const

/** What the gateway finds: for an operator in all accounts, for others among their keys and models. */
export function usePaletteHits(query: string, isOperator: boolean) {
  const navigate = useNavigate()
  const typed = query.trim()
  const [q] = useDebouncedValue(typed, PAUSE_MS)
  const isAsked = q.length >= LEAST_LETTERS
  const everywhere = useQuery({
    ...getQuery<{ data: readonly SearchHit[] }>(['operator', 'search', q], `${OPERATOR}/search`, { q }),
    enabled: isAsked && isOperator,
    placeholderData: keepPreviousData,
  })
  const own = useOwnHits(q, isAsked && !isOperator)
  const request = { kind: 'request', id: typed, name: typed, detail: '', account_id: null } as const
  const ownRequest = !isOperator && REQUEST_ID.test(typed) ? [request] : []
  const found = isOperator ? everywhere.data?.data : own.hits
  const hits = [...ownRequest, ...(isAsked ? (found ?? NONE) : NONE)]
  const groups = (Object.keys(KINDS) as SearchHit['kind'][]).flatMap((kind): SpotlightActionGroupData[] => {
    const { label, icon: Glyph } = KINDS[kind]
    const actions = hits
      .filter((hit) => hit.kind === kind)
      .map((hit) => ({
        id: `${kind} ${hit.id}`,
        label: hit.name,
        description: hit.detail === hit.name ? '' : hit.detail,
        // The gateway has matched it already.
        keywords: [query, hit.id],
        leftSection: <Glyph size={18} stroke={1.7} aria-hidden />,
        onClick: () => void navigate(placeOf(hit, isOperator)),
      }))
    return actions.length === 0 ? [] : [{ group: label, actions }]
  })
  const isFetching = isOperator ? everywhere.isFetching : own.isFetching
  return { hits: found, groups, isSearching: isAsked && isFetching }
}

/** Keys and models of the account by their names or ids, as many of each as operators get. */
function useOwnHits(q: string, isEnabled: boolean) {
  const account = useChosenAccount()?.id ?? ''
  const isWanted = isEnabled && account !== ''
  const keys = useQuery({
    ...getQuery<ShownList<ApiKey>>([account, 'keys', 'palette', q], accountPath(account, '/keys'), {
      search: q,
      limit: MOST_HITS,
    }),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  })
  const models = useModels(account, isWanted)
  const hits = useMemo((): readonly SearchHit[] | undefined => {
    if (keys.data === undefined || models.data === undefined) return undefined
    const words = q.toLowerCase()
    const named = models.data.data.filter(({ id, display_name: name }) =>
      `${id} ${name}`.toLowerCase().includes(words),
    )
    return [
      ...keys.data.data.map(({ id, name, last_four: end }) => ({
        ...{ kind: 'key' as const, id, name, detail: end === null ? '' : `…${end}`, account_id: account },
      })),
      ...named.slice(0, MOST_HITS).map(({ id, display_name: name }) => ({
        ...{ kind: 'model' as const, id, name, detail: id, account_id: null },
      })),
    ]
  }, [keys.data, models.data, q, account])
  return { hits, isFetching: keys.isFetching || models.isFetching }
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
      return isOperator ? { to: '/operator/models/$id', params } : { to: '/models', search: { model: id } }
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
