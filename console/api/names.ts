import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import { accountPath, api } from './client.ts'

interface Named {
  readonly id: string
  readonly name: string
}

export type NameOf = (id: string) => string

// As many as one page of a list has.
const AT_ONCE = 200
const FRESH_MS = 60_000
const WAITING = '…'

/** The name of a key of the account; its id if there is no such key any more. */
export function useKeyNames(account: string): NameOf {
  return useNames([account, 'key-names'], accountPath(account, '/keys'))
}

/** Gives names by id. The ids that a page asks for while it renders are looked up together afterwards. */
export function useNames(key: QueryKey, path: string): NameOf {
  const asked = useRef(new Set<string>())
  const [ids, setIds] = useState<readonly string[]>([])
  const { data: names, isFetching } = useQuery({
    queryKey: [...key, 'names', ids],
    queryFn: ({ signal }) => readNames(path, ids, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
  })
  useEffect(() => {
    if (asked.current.size > ids.length) setIds([...asked.current].sort())
  })
  return (id) => {
    if (id !== '') asked.current.add(id)
    const isAwaited = isFetching || !ids.includes(id)
    return names?.get(id) ?? (isAwaited ? WAITING : id)
  }
}

async function readNames(
  path: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const starts = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, index) => index * AT_ONCE)
  const pages = await Promise.all(
    starts.map((start) => {
      const query = { ids: ids.slice(start, start + AT_ONCE).join(','), limit: AT_ONCE }
      return api.get<ShownList<Named>>(path, { query, signal })
    }),
  )
  return new Map(pages.flatMap(({ data }) => data).map(({ id, name }) => [id, name]))
}
