import { Button, Group, Highlight, Text } from '@mantine/core'
import { IconSearchOff } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { accountPath, api } from '../../api/client.ts'
import { useBodyStorage } from '../../api/settlements.ts'
import type { List } from '../../api/use-list.ts'
import type { FoundBodies } from '../../api/wire.ts'
import { useAccount, useMay } from '../../app/account.ts'
import type { RequestFilters } from '../../parts/requests/request-filters.ts'
import { boundsOf } from '../../parts/requests/time-filter.ts'
import { CutId } from '../../parts/tables/cut-text.tsx'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { formatNumber } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

type Found = FoundBodies['data'][number]

interface FoundRequestsProps {
  readonly filters: RequestFilters
  readonly bar: ReactNode
}

/** Requests whose stored bodies hold a text. The gateway reads them piece by piece, so it tells how far it got. */
export function FoundRequests({ filters, bar }: FoundRequestsProps) {
  const account = useAccount()
  const storage = useBodyStorage(account.id).data
  const maySee = useMay('see-bodies')
  const isSearched = maySee && storage?.enabled === true
  const search = useBodySearch(account.id, filters, isSearched)
  const pages = search.data?.pages ?? []
  const searched = pages.reduce((sum, page) => sum + page.searched, 0)
  const total = pages[0]?.total ?? 0
  const list: List<Found> = {
    rows: pages.flatMap(({ data }) => data),
    error: search.error,
    isPending: maySee && storage?.enabled !== false && search.isPending,
    isOutdated: search.isPlaceholderData,
    // The button is below the sum of what was read.
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => {},
    retry: () => void search.refetch(),
  }
  return (
    <TablePanel
      label="Found requests"
      filters={
        <>
          {bar}
          {pages.length > 0 && (
            <Group px="lg" pb="sm" gap="sm">
              <Text size="sm" c="dimmed" role="status">
                Searched {formatNumber(searched)} of {formatNumber(Math.max(total, searched))} stored
                requests, newest first.
              </Text>
              {search.hasNextPage && (
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={search.isFetchingNextPage}
                  onClick={() => void search.fetchNextPage()}
                >
                  Search on
                </Button>
              )}
            </Group>
          )}
        </>
      }
      list={list}
      columns={columnsFor(filters.q)}
      rowKey={({ request_id }) => request_id}
      rowLink={({ request_id: id }) => ({ to: '/requests/$id', params: { id } })}
      empty={!maySee ? NOT_ALLOWED : storage?.enabled === false ? NOT_STORED : NOT_FOUND}
    />
  )
}

function useBodySearch(account: string, filters: RequestFilters, isEnabled: boolean) {
  const { from, to } = boundsOf(filters, Date.now())
  const range = { ...(from !== '' && { from }), ...(to !== '' && { to }) }
  const question = { text: filters.q, ...range }
  return useInfiniteQuery({
    queryKey: [account, 'body-search', question],
    queryFn: ({ pageParam, signal }) =>
      api.get<FoundBodies>(accountPath(account, '/bodies'), {
        query: { ...question, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    enabled: isEnabled,
    retry: false,
  })
}

const columnsFor = (text: string): readonly Column<Found>[] => [
  {
    head: 'Request',
    cell: ({ request_id, created_at }) => (
      <span className="two-lines">
        <CutId id={request_id} />
        <Text span size="xs" c="dimmed" fw={400}>
          <TimeStamp at={created_at} />
        </Text>
      </span>
    ),
  },
  { head: 'Found in', from: 'sm', cell: ({ place }) => (place === 'request' ? 'Request' : 'Response') },
  {
    head: 'Text',
    cell: ({ excerpt }) => (
      <Highlight className="found-excerpt" highlight={text} component="span">
        {excerpt}
      </Highlight>
    ),
  },
]

const NOT_FOUND = {
  icon: IconSearchOff,
  title: 'Nothing found so far',
  children: 'Search on, or choose another time. Only stored bodies are searched, as far as they are kept.',
}

const NOT_ALLOWED = {
  icon: IconSearchOff,
  title: 'You may not search texts',
  children:
    'Your role does not see prompts and responses. A request id, which begins with req_, can be looked for.',
}

const NOT_STORED = {
  icon: IconSearchOff,
  title: 'There is no text to search',
  children:
    'This account stores no prompts and responses. A request id, which begins with req_, can be looked for.',
  action: (
    <TextLink to="/billing" search={{ tab: 'bodies' }}>
      Store bodies of new requests
    </TextLink>
  ),
}
