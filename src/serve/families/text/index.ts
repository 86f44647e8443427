import { PROTOCOLS, RELAYED_PROTOCOLS } from '../../../protocols/index.ts'
import type { Protocol, TokenCounting } from '../../../protocols/protocol.ts'
import type { Contract } from '../../../vocabulary/runtime/contract.ts'
import { serveRequest } from '../../serve-request.ts'
import type { FamilyEndpoint } from '../family.ts'
import { modelContract, TOKEN_HEADERS } from '../model-contract.ts'
import { CompactFamily } from './compact-family.ts'
import { countTokens } from './count-tokens.ts'
import { TextFamily } from './text-family.ts'

// A token count never fails because of a supplier: the gateway estimates instead.
const COUNT_ERRORS = [400, 401, 403, 404, 413, 415, 429, 500, 503]

/** Text generation and token counts, in every text format. */
export const TEXT_ENDPOINTS: readonly FamilyEndpoint[] = [...PROTOCOLS, ...RELAYED_PROTOCOLS].flatMap(
  endpointsOf,
)

function endpointsOf(protocol: Protocol): FamilyEndpoint[] {
  const family = new TextFamily(protocol)
  const countingPaths = protocol.tokenCounting?.paths.filter((path) => !protocol.paths.includes(path)) ?? []
  const at = (path: string) => ({
    path,
    family,
    contract: contractAt(path, protocol),
    dressError: protocol.dressError,
  })
  return [
    ...protocol.paths.map((path) =>
      protocol.operationOf === undefined ? at(path) : { ...at(path), handle: byOperation(family) },
    ),
    ...compactionEndpoints(protocol, family, at),
    ...countingPaths.map((path) => ({ ...at(path), handle: countingIn(protocol) })),
  ]
}

function compactionEndpoints(
  { compaction }: Protocol,
  family: TextFamily,
  at: (path: string) => FamilyEndpoint,
): FamilyEndpoint[] {
  if (compaction === undefined) return []
  const compacting = new CompactFamily(family, compaction)
  return compaction.paths.map((path) => ({ ...at(path), family: compacting }))
}

function contractAt(path: string, { name, contracts }: Protocol): Contract {
  const [first, ...also] = (contracts[path] ?? []).map(({ isCount, ...contract }) =>
    isCount
      ? { ...contract, access: 'key' as const, errors: COUNT_ERRORS }
      : modelContract(contract, TOKEN_HEADERS),
  )
  if (first === undefined) throw new Error(`${name} has no contract for ${path}`)
  return { ...first, also }
}

type Handle = NonNullable<FamilyEndpoint['handle']>

/** Most formats have a path for each operation; some name the operation in the rest of the path. */
function byOperation(family: TextFamily): Handle {
  const { protocol } = family
  const count = protocol.tokenCounting && countingIn(protocol)
  return (exchange, gateway) => {
    const operation = protocol.operationOf?.(exchange.params['*'] ?? '')
    if (operation !== 'count-tokens') return serveRequest(exchange, gateway, family)
    if (count === undefined) throw new Error(`${protocol.name} cannot count tokens`)
    return count(exchange, gateway)
  }
}

function countingIn(protocol: Protocol): Handle {
  const counting = protocol.tokenCounting as TokenCounting
  return (exchange, gateway) => countTokens(exchange, { protocol, counting, gateway })
}
