import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { SearchHit } from '../../vocabulary/system.ts'
import type { LocalOperations, OperationParts } from './parts.ts'

const MOST_OF_A_KIND = 5

/** Finds things by their names and ids, which are in memory; requests by their whole id. */
export function searchOperations({ configuration, storage, catchUp }: OperationParts) {
  return {
    search: async (question) => {
      const wanted = question.trim().toLowerCase()
      if (wanted === '') return []
      const found = candidatesOf(configuration.current()).flatMap((candidates) => best(candidates, wanted))
      if (!/^req_[\w-]+$/.test(question.trim())) return found
      await catchUp()
      const settlement = await storage.findSettlement(question.trim())
      if (settlement === null) return found
      const { requestId, model, accountId } = settlement
      return [{ kind: 'request', id: requestId, name: requestId, detail: model, accountId }, ...found]
    },
  } satisfies Partial<LocalOperations>
}

function candidatesOf({ accounts, keys, supply }: Snapshot): Iterable<SearchHit>[] {
  return [
    accounts.values().map(({ id, name, email }) => {
      return { kind: 'account' as const, id, name, detail: email ?? id, accountId: id }
    }),
    keys
      .values()
      .filter(({ state }) => state !== 'revoked')
      .map(({ id, name, accountId, secrets }) => {
        const owner = accounts.get(accountId)?.name ?? accountId
        const detail = `${owner}, …${secrets[0]?.lastFour ?? ''}`
        return { kind: 'key' as const, id, name, detail, accountId }
      }),
    supply.models.values().map(({ id, displayName }) => {
      return { kind: 'model' as const, id, name: id, detail: displayName, accountId: null }
    }),
    supply.suppliers.values().map(({ id, baseUrl, accountId }) => {
      return { kind: 'supplier' as const, id, name: id, detail: baseUrl, accountId }
    }),
  ]
}

/** Names that begin with the text come first. */
function best(candidates: Iterable<SearchHit>, wanted: string): SearchHit[] {
  const beginning: SearchHit[] = []
  const others: SearchHit[] = []
  for (const hit of candidates) {
    if (hit.name.toLowerCase().startsWith(wanted)) beginning.push(hit)
    else if (
      others.length < MOST_OF_A_KIND &&
      `${hit.name} ${hit.id} ${hit.detail}`.toLowerCase().includes(wanted)
    )
      others.push(hit)
    if (beginning.length === MOST_OF_A_KIND) break
  }
  return [...beginning, ...others].slice(0, MOST_OF_A_KIND)
}
